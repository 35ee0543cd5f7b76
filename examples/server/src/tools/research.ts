import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../json.ts'
import { composeReport, composeSection } from '../reports/compose.ts'
import { reportUri, type Reports } from '../reports/reports.ts'
import type { ToolResult } from '../tasks/task.ts'
import type { Work } from '../tasks/work.ts'
import { textResult } from './tool.ts'

interface Checkpoint {
  readonly [key: string]: unknown
  readonly reportId: string
  /** One text per source read; the next source is the first without one. */
  readonly read: readonly string[]
}

/** The arguments of every tool that writes a report; `query` is required. */
export const RESEARCH_ARGUMENTS = {
  query: { type: 'string', minLength: 1, maxLength: 500, description: 'What to find out.' },
  seconds: { type: 'number', minimum: 0, maximum: 3600, default: 12, description: 'How long the work takes.' },
  sections: { type: 'integer', minimum: 1, maximum: 60, default: 8, description: 'How many sources are read.' },
} satisfies JsonObject

/** What the report on these arguments is called. */
export function reportTitle(args: JsonObject): string {
  return `Report: ${String(args['query'])}`
}

/** Reads sources one by one and writes a report, which goes out as a link beyond `largeResultBytes`. */
export async function research(work: Work, reports: Reports, largeResultBytes: number): Promise<ToolResult> {
  const query = String(work.args['query'])
  const sections = Number(work.args['sections'] ?? RESEARCH_ARGUMENTS.sections.default)
  const total = sections + 2
  const stepMs = (Number(work.args['seconds'] ?? RESEARCH_ARGUMENTS.seconds.default) * 1000) / total

  let done = work.checkpoint as Checkpoint | null
  if (!done) {
    await work.step({ message: 'Searching sources', progress: 0, total })
    await work.pause(stepMs)
    done = { reportId: randomUUID(), read: [] }
  }
  while (done.read.length < sections) {
    const source: number = done.read.length + 1
    await work.step({ message: `Reading ${source} of ${sections}`, progress: source, total, checkpoint: done })
    await work.pause(stepMs)
    done = { ...done, read: [...done.read, composeSection(query, source)] }
  }
  await work.step({ message: 'Writing the report', progress: sections + 1, total, checkpoint: done })
  await work.pause(stepMs)

  const report = composeReport(query, done.read)
  const title = reportTitle(work.args)
  await reports.create({ id: done.reportId, title, body: report })
  const resource = reportUri(done.reportId)
  const facts = { query, sections, resource, interruptions: work.interruptions }
  const size = Buffer.byteLength(report)
  if (size <= largeResultBytes) return textResult(report, { structuredContent: { report, ...facts } })

  const summary = `A report of ${sections} sections on "${query}" is ready.`
  return {
    content: [
      { type: 'text', text: summary },
      { type: 'resource_link', uri: resource, name: title, mimeType: 'text/markdown', size },
    ],
    structuredContent: { report: summary, ...facts },
  }
}
