import { randomUUID } from 'node:crypto'
import { reportUri, type Reports } from '../reports/reports.ts'
import { composeReport, composeSection } from '../reports/compose.ts'
import { argumentsSchema, textResult, type Tool } from './tool.ts'

interface Checkpoint {
  readonly [key: string]: unknown
  readonly reportId: string
  /** One text per source read; the next source is the first without one. */
  readonly read: readonly string[]
}

/** Reads sources one by one and writes a report that stays as a resource. */
export function startResearch(reports: Reports, largeResultBytes: number): Tool {
  return {
    name: 'start_research',
    title: 'Research a question',
    description: 'Searches sources, reads them one after another and writes a report.',
    inputSchema: argumentsSchema(
      {
        query: { type: 'string', minLength: 1, maxLength: 500, description: 'What to find out.' },
        seconds: { type: 'number', minimum: 0, maximum: 3600, default: 12, description: 'How long the work takes.' },
        sections: { type: 'integer', minimum: 1, maximum: 60, default: 8, description: 'How many sources are read.' },
      },
      ['query'],
    ),
    taskSupport: 'optional',
    interim: (args) => `The research on "${String(args['query'])}" has begun; its report will follow.`,
    isSmall: (args) => args['seconds'] === 0,
    async run(work) {
      const query = String(work.args['query'])
      const sections = Number(work.args['sections'] ?? 8)
      const total = sections + 2
      const stepMs = (Number(work.args['seconds'] ?? 12) * 1000) / total

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
      const title = `Report: ${query}`
      await reports.create({ id: done.reportId, title, body: report })
      const resource = reportUri(done.reportId)
      const facts = { query, sections, resource, interruptions: work.interruptions }
      if (Buffer.byteLength(report) <= largeResultBytes)
        return textResult(report, { structuredContent: { report, ...facts } })

      const summary = `A report of ${sections} sections on "${query}" is ready.`
      const link = { type: 'resource_link', uri: resource, name: title, mimeType: 'text/markdown' }
      const size = Buffer.byteLength(report)
      return {
        content: [
          { type: 'text', text: summary },
          { ...link, size },
        ],
        structuredContent: { report: summary, ...facts },
      }
    },
  }
}
