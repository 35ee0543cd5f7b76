import type { Reports } from '../reports/reports.ts'
import type { Settings } from '../settings.ts'
import type { TaskEngine } from '../tasks/engine.ts'
import type { Tool } from '../tools/tool.ts'

/** What the protocol handlers are made over. */
export interface Parts {
  readonly engine: TaskEngine
  readonly reports: Reports
  readonly tools: ReadonlyMap<string, Tool>
  readonly settings: Settings
}
