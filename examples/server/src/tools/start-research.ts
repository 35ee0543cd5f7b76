import type { Reports } from '../reports/reports.ts'
import { APP_URI } from './app-uri.ts'
import { research, RESEARCH_ARGUMENTS } from './research.ts'
import { argumentsSchema, type Tool } from './tool.ts'

/** Reads sources one by one and writes a report that stays as a resource. */
export function startResearch(reports: Reports, largeResultBytes: number): Tool {
  return {
    name: 'start_research',
    title: 'Research a question',
    description: 'Searches sources, reads them one after another and writes a report.',
    inputSchema: argumentsSchema(RESEARCH_ARGUMENTS, ['query']),
    meta: { ui: { resourceUri: APP_URI } },
    taskSupport: 'optional',
    interim: (args) => `The research on "${String(args['query'])}" has begun; its report will follow.`,
    isSmall: (args) => args['seconds'] === 0,
    run: (work) => research(work, reports, largeResultBytes),
  }
}
