import type { JsonObject } from '@mcp-task-machine/core'
import {
  bookingTool,
  fieldsOf,
  isSettled,
  parts,
  progressOfGroup,
  tripSchema,
  wordsForGroup,
} from '@mcp-task-machine/example-ui'
import { useTaskGroup } from '@mcp-task-machine/react'
import { useEffect, useRef, useState } from 'react'
import { FormFields } from './form-fields.tsx'
import { Progress } from './progress.tsx'
import { TripMember, type Booking } from './trip-member.tsx'
import { useForm } from './use-form.ts'

const fields = fieldsOf(tripSchema)

interface Props {
  /** Whether another trip was here before, and the keyboard's place went with it. */
  readonly isNext: boolean
  readonly onStartOver: () => void
}

/** A whole trip: four calls as one group, from their form to the end of all. */
export function Trip({ isNext, onStartOver }: Props) {
  const { fire, cancelAll, ...view } = useTaskGroup({ maxConcurrent: parts.length })
  const [bookings, setBookings] = useState<readonly Booking[]>([])
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (isNext) heading.current?.focus()
  }, [isNext])

  const start = (args: JsonObject) => {
    heading.current?.focus()
    setBookings(parts.map((part) => ({ ...part, runner: fire(bookingTool, { ...args, part: part.part }) })))
  }
  const { form, submit, ...rest } = useForm(fields, start)
  const isOver = isSettled(view)
  const { title, sentence, tone } = wordsForGroup(view)

  return (
    <section className="trip" aria-labelledby="trip-heading">
      <div className="section-head">
        <h2 id="trip-heading" ref={heading} tabIndex={-1}>
          A whole trip at once
        </h2>
      </div>
      <div className="run">
        {bookings.length === 0 ? (
          <form className="form" ref={form} noValidate onSubmit={submit}>
            <p className="muted">Books a flight, a hotel, a car and a restaurant: four calls, shown as one.</p>
            <FormFields {...rest} />
            <div className="actions">
              <button type="submit" className="button" data-kind="first">
                Book all
              </button>
            </div>
          </form>
        ) : (
          <>
            <div role="status" className="status">
              <p className="status-line">
                <span className="badge" data-tone={tone}>
                  {title}
                </span>
                <span className="muted">{sentence}</span>
              </p>
            </div>
            <Progress progress={progressOfGroup(view)} />
            <ul className="members">
              {bookings.map((booking) => (
                <TripMember key={booking.part} booking={booking} />
              ))}
            </ul>
            <div className="actions">
              <button
                type="button"
                className="button"
                aria-disabled={isOver}
                onClick={() => !isOver && void cancelAll()}
              >
                Cancel all
              </button>
              <button
                type="button"
                className="button"
                data-kind={isOver ? 'first' : undefined}
                aria-disabled={!isOver}
                onClick={() => isOver && onStartOver()}
              >
                Book another trip
              </button>
            </div>
          </>
        )}
      </div>
    </section>
  )
}
