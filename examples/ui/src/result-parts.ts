import type { ContentBlock, ToolResult } from '@mcp-task-machine/core'

/** A part of a tool's result, by how it is shown. */
export type ResultPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'link'; readonly uri: string; readonly name: string; readonly size: number | null }
  | { readonly kind: 'image'; readonly source: string }
  | { readonly kind: 'data'; readonly json: string }

const text = (value: unknown) => (typeof value === 'string' ? value : '')
const json = (value: unknown) => JSON.stringify(value, null, 2)

function partOf(block: ContentBlock): ResultPart {
  if (block.type === 'text') return { kind: 'text', text: text(block['text']) }
  if (block.type === 'resource_link') {
    const { uri, name, title, size } = block
    return {
      kind: 'link',
      uri: text(uri),
      name: text(title) || text(name) || text(uri),
      size: typeof size === 'number' ? size : null,
    }
  }
  if (block.type === 'image' && /^image\/(png|jpeg|gif|webp)$/.test(text(block['mimeType'])))
    return { kind: 'image', source: `data:${text(block['mimeType'])};base64,${text(block['data'])}` }
  const resource = block['resource'] as { readonly text?: unknown } | undefined
  if (typeof resource?.text === 'string') return { kind: 'text', text: resource.text }
  return { kind: 'data', json: json(block) }
}

/**
 * A result in the order in which it is read; structured content comes last.
 * @param said a text that already stands elsewhere: what a failed tool says is its error, too
 */
export function partsOf(result: ToolResult<unknown>, said = ''): readonly ResultPart[] {
  const structured = result.raw['structuredContent']
  const parts = result.content.map(partOf).filter((part) => part.kind !== 'text' || part.text !== said)
  return structured === undefined ? parts : [...parts, { kind: 'data', json: json(structured) }]
}
