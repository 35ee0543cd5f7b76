import type { ToolResult } from '@mcp-task-machine/core'
import { addressOf, formatSize, partsOf, type ResultPart } from '@mcp-task-machine/example-ui'
import { Blocks } from './blocks.tsx'

/** What a tool gave back: its texts, links to what is too large, and its data. `said` already stands elsewhere. */
export function Result({ result, said }: { result: ToolResult<unknown>; said: string | undefined }) {
  const parts = partsOf(result, said)
  if (parts.length === 0) return null
  return (
    <div className="result" role="group" aria-label="Result">
      {parts.map((part, at) => (
        <Part key={at} part={part} />
      ))}
    </div>
  )
}

function Part({ part }: { part: ResultPart }) {
  switch (part.kind) {
    case 'text':
      return (
        // A long text scrolls, which the keyboard must be able to do as well.
        <div className="text" role="group" aria-label="Text of the result" tabIndex={0}>
          <Blocks text={part.text} level={4} />
        </div>
      )
    case 'link':
      return (
        <p>
          <a href={addressOf(part.uri)}>Read “{part.name}”</a>{' '}
          {part.size !== null && <span className="muted">({formatSize(part.size)})</span>}
        </p>
      )
    case 'image':
      return <img src={part.source} alt="Part of the result" />
    default:
      return (
        <details>
          <summary>Data of the result</summary>
          <pre tabIndex={0}>{part.json}</pre>
        </details>
      )
  }
}
