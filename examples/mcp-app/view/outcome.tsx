import type { ToolResult } from '@mcp-task-machine/core'
import { partsOf } from '@mcp-task-machine/example-ui'
import { Blocks } from '../../react/src/blocks.tsx'

interface Props {
  readonly result: ToolResult<unknown>
  /** What of it stands elsewhere already. */
  readonly said: string | undefined
  readonly openLink: (url: string) => void
}

/** What the work has made. What it links to is the host's to open. */
export function Outcome({ result, said, openLink }: Props) {
  return (
    <div className="result">
      {partsOf(result, said).map((part, nth) => {
        if (part.kind === 'link')
          return (
            <button key={nth} type="button" className="button" onClick={() => openLink(part.uri)}>
              Open {part.name}
            </button>
          )
        if (part.kind !== 'text') return null
        return (
          <div key={nth} className="text">
            <Blocks text={part.text} level={3} />
          </div>
        )
      })}
    </div>
  )
}
