import { blocksOf } from '@mcp-task-machine/example-ui'

/** A text with its headings, lists and paragraphs. */
export function Blocks({ text, level }: { text: string; level: 3 | 4 }) {
  const Heading = `h${level}` as const
  return blocksOf(text).map((block, at) => {
    if (block.kind === 'heading') return <Heading key={at}>{block.text}</Heading>
    if (block.kind === 'paragraph') return <p key={at}>{block.text}</p>
    return (
      <ul key={at}>
        {block.items.map((item, nth) => (
          <li key={nth}>{item}</li>
        ))}
      </ul>
    )
  })
}
