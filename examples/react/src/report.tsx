import { titledText, type Reports } from '@mcp-task-machine/example-ui'
import { useEffect, useState, type RefObject } from 'react'
import { Blocks } from './blocks.tsx'

interface Props {
  readonly uri: string
  readonly reports: Reports
  readonly heading: RefObject<HTMLHeadingElement | null>
}

type Reading = { readonly text: string } | { readonly problem: string } | null

/** One report, to read. */
export function Report({ uri, reports, heading }: Props) {
  const [reading, setReading] = useState<Reading>(null)
  useEffect(() => {
    let isHere = true
    const show = (next: Reading) => isHere && setReading(next)
    reports.text(uri).then(
      (text) => show({ text }),
      (error: Error) => show({ problem: error.message }),
    )
    return () => {
      isHere = false
    }
  }, [uri, reports])

  const { title, body } = titledText(reading && 'text' in reading ? reading.text : '', 'Report')
  return (
    <>
      <div className="section-head">
        <a href="#/">Back to the runs</a>
      </div>
      <article className="paper">
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {reading === null && <p role="status">Reading the report.</p>}
        {reading && 'problem' in reading && (
          <p role="alert" className="problem">
            The report could not be read: {reading.problem}
          </p>
        )}
        <div className="text">
          <Blocks text={body} level={3} />
        </div>
      </article>
    </>
  )
}
