import type { DatabaseChoice } from './database/open-database.ts'
import type { Parts } from './mcp/parts.ts'
import { Reports } from './reports/reports.ts'
import type { Settings } from './settings.ts'
import { TaskEngine } from './tasks/engine.ts'
import { createTools } from './tools/create-tools.ts'

/** Opens the database and starts the workers: all that a transport is then put in front of. */
export async function startParts(
  choice: DatabaseChoice,
  settings: Settings,
  log: (line: string) => void,
): Promise<Parts> {
  const engine = await TaskEngine.open(choice, settings, log)
  const reports = new Reports(engine.database)
  await reports.start()
  const tools = createTools(engine, reports, settings)
  await engine.work(tools)
  return { engine, reports, tools, settings }
}
