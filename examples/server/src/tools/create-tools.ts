import type { Reports } from '../reports/reports.ts'
import type { Settings } from '../settings.ts'
import { bookTrip } from './book-trip.ts'
import { importContacts, syncCalendar } from './failing-tools.ts'
import { fixtures } from './fixtures.ts'
import { startResearch } from './start-research.ts'
import type { Tool } from './tool.ts'

/** The tools that this server offers, by name. */
export function createTools(reports: Reports, settings: Settings): ReadonlyMap<string, Tool> {
  const tools = [startResearch(reports, settings.largeResultBytes), bookTrip, importContacts, syncCalendar]
  if (settings.fixtures) tools.push(...fixtures)
  return new Map(tools.map((tool) => [tool.name, tool]))
}
