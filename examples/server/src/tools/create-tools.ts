import type { Reports } from '../reports/reports.ts'
import type { Settings } from '../settings.ts'
import type { TaskEngine } from '../tasks/engine.ts'
import { bookPart } from './book-part.ts'
import { bookTrip } from './book-trip.ts'
import { importContacts, syncCalendar } from './failing-tools.ts'
import { fixtures } from './fixtures.ts'
import { reportTools } from './report-job/report-tools.ts'
import { startReport } from './report-job/start-report.ts'
import { startResearch } from './start-research.ts'
import type { Tool } from './tool.ts'

/** The tools that this server offers, by name. */
export function createTools(engine: TaskEngine, reports: Reports, settings: Settings): ReadonlyMap<string, Tool> {
  const { largeResultBytes } = settings
  const tools: Tool[] = [startResearch(reports, largeResultBytes), bookTrip, bookPart, importContacts, syncCalendar]
  tools.push(startReport(engine, reports, largeResultBytes), ...reportTools(engine, reports))
  if (settings.fixtures) tools.push(...fixtures)
  return new Map(tools.map((tool) => [tool.name, tool]))
}
