/** A part of a text, to be drawn as the element it names. */
export type Block =
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }

/**
 * The blocks of a Markdown text: headings, lists and paragraphs, which is what the example server's reports are made of.
 * Everything stays text; no markup of a server becomes markup of the page.
 */
export function blocksOf(text: string): readonly Block[] {
  return text
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const heading = /^#{1,6} +(.*)$/.exec(part)
      if (heading) return { kind: 'heading', text: heading[1]! }
      const lines = part.split('\n')
      if (lines.every((line) => /^[-*] /.test(line)))
        return { kind: 'list', items: lines.map((line) => line.slice(2).trim()) }
      return { kind: 'paragraph', text: lines.map((line) => line.trim()).join(' ') }
    })
}

/** A text apart from the heading it begins with; one without is called `otherwise`. */
export function titledText(text: string, otherwise: string): { readonly title: string; readonly body: string } {
  const [first] = blocksOf(text)
  if (first?.kind !== 'heading') return { title: otherwise, body: text }
  return { title: first.text, body: text.trimStart().replace(/^.*/, '') }
}
