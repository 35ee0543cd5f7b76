import { isTerminal } from '../../src/index.ts'
import {
  asked,
  beginnings,
  cancelAnswers,
  closed,
  late,
  readFails,
  recovered,
  settled,
  settleErrors,
  submitted,
  told,
  updateAnswers,
  userEvents,
} from './path-events.ts'
import type { PathEvent, PathState } from './replay.ts'

/** Every event that the connection, the clock or a user can make happen in a state. */
export function possibleEvents(state: PathState): PathEvent[] {
  const { children, context } = state
  const { deadlines, resting } = context
  const runs = (actor: string) => Object.hasOwn(children, actor)
  const isDetached = state.matches({ working: 'detached' })
  const isSettling = state.matches({ working: 'settling' })
  const hasAsked = context.asked.length > 0
  // One complication at a time: their combinations would be tens of thousands of paths.
  const complications = [
    resting.length > 0,
    context.backingOff,
    context.ttlGrace,
    context.overdue,
    context.cancelUnsupported,
    context.error !== null && runs('poll') && !isDetached,
    hasAsked,
    Object.keys(context.answered).length > 0,
    context.cancelRequested && state.matches('working'),
    context.cancelLanded,
  ]
  if (complications.filter(Boolean).length > 1) return []
  // Over a closed connection everything but these looks at the surroundings again by itself.
  if (resting.includes('connection')) return userEvents.filter(({ type }) => type === 'reset')

  const hasEnded = context.task !== null && isTerminal(context.task.status) && !state.matches('terminal')
  // Left or detached, it hears nothing but what it asks for.
  const isLeft = resting.some((reason) => reason === 'unmounted' || reason === 'asked') && !hasAsked
  const isFollowing = runs('poll') && !hasEnded && !isLeft
  const isReading = isFollowing && !isDetached && resting.length === 0
  // The next read would come together with the end of the grace that a passed lifetime is given.
  const isFree = isReading && !hasAsked && !context.ttlGrace
  const mayRest = isReading && !hasAsked
  // A second wish to read would have to wait for the end of the first one.
  const mayAsk = !hasAsked && !hasEnded
  const events = userEvents.filter(
    ({ type }) =>
      (mayRest || (type !== 'detach' && type !== 'unwatch')) &&
      (mayAsk || isDetached || (type !== 'refresh' && type !== 'resume')),
  )

  if (state.matches('idle')) events.push(...beginnings)
  if (runs('submit')) events.push(...submitted)
  // Only a call that this process made can be answered late.
  if (state.matches({ submitting: 'lost' }) && context.args !== null) events.push(...late(context.epoch))
  if (isFollowing) {
    // A new poll actor has nobody to ask about a task that has ended, and says so at once.
    const mayEnd = !(hasAsked && state.matches('cancelling'))
    events.push(...told(isFree).filter(({ label }) => mayEnd || !label.endsWith('without payload')))
  }
  if (isFree && !context.backingOff) events.push(readFails('poll.trouble', 'busy'))
  if (isFree && context.backingOff) events.push(recovered)
  if (isFree) {
    events.push(
      readFails('poll.gone', 'gone'),
      readFails('poll.stopped', 'unauthorized'),
      readFails('poll.stopped', 'unknownMethod'),
      closed,
    )
  }
  if (isFollowing && hasAsked && !isDetached) {
    events.push(asked(context.asked, false))
    // The first failure would be told beforehand.
    if (context.backingOff) events.push(asked(context.asked, true))
  }
  if (isSettling) events.push(...settled, ...settleErrors)
  // An actor that is done is still listed: its answer shows in the chart's memory.
  if (runs('cancel') && !context.cancelLanded && context.refusal === null) {
    // Once `maxWait` has passed, a busy server is not asked again.
    const isLate = context.asked.includes('wait')
    events.push(
      ...cancelAnswers.filter(
        ({ label }) => (mayAsk || label !== 'cancel: gone') && !(isLate && label === 'cancel: busy'),
      ),
    )
  }
  const unsent = Object.entries(context.answered).filter(([, { sent }]) => !sent)
  if (runs('respond')) events.push(...updateAnswers(unsent.map(([key]) => key)))

  const [next] = Object.entries(deadlines)
    .filter((entry): entry is [keyof typeof deadlines, number] => entry[1] !== null)
    .toSorted(([, a], [, b]) => a - b)
  // While a call is out, its own time-out comes before every deadline.
  if (
    next &&
    resting.length === 0 &&
    !hasAsked &&
    !runs('submit') &&
    !(next[0] === 'wait' && state.matches('submitting'))
  )
    events.push({ type: `deadline.${next[0]}`, label: `${next[0]} passes`, cause: (replay) => replay.until(next[0]) })
  return events
}
