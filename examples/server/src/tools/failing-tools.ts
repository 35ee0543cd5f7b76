import { CallFailed } from '../tasks/errors.ts'
import { argumentsSchema, textResult, type Tool } from './tool.ts'

const seconds = { type: 'number', minimum: 0, maximum: 600, default: 3, description: 'How long the work takes.' }
const secondsOf = (args: Tool['inputSchema'] | Readonly<Record<string, unknown>>) => Number(args['seconds'] ?? 3) * 1000

/** Fails as a tool does: it ran, and its result says what went wrong. */
export const importContacts: Tool = {
  name: 'import_contacts',
  title: 'Import contacts',
  description: 'Imports a list of contacts. Always ends with an error result (isError), since one row is broken.',
  inputSchema: argumentsSchema({ seconds, rows: { type: 'integer', minimum: 1, maximum: 10_000, default: 300 } }),
  taskSupport: 'optional',
  async run(work) {
    const rows = Number(work.args['rows'] ?? 300)
    const broken = Math.ceil(rows * 0.7)
    await work.step({ message: `Importing ${rows} contacts`, progress: 0, total: rows })
    await work.pause(secondsOf(work.args))
    await work.step({ message: `Stopped at row ${broken}`, progress: broken, total: rows })
    return textResult(`Row ${broken} has no e-mail address. The ${broken - 1} contacts before it were imported.`, {
      isError: true,
      structuredContent: { imported: broken - 1, brokenRow: broken },
    })
  },
}

/** Fails as a call does: there is no result, only a JSON-RPC error. */
export const syncCalendar: Tool = {
  name: 'sync_calendar',
  title: 'Synchronise the calendar',
  description: 'Synchronises a calendar. Always fails with a JSON-RPC error, since the calendar service hangs up.',
  inputSchema: argumentsSchema({ seconds }),
  taskSupport: 'optional',
  async run(work) {
    await work.step({ message: 'Connecting to the calendar service', progress: 0, total: 1 })
    await work.pause(secondsOf(work.args))
    throw new CallFailed({ code: -32603, message: 'The calendar service hung up.', data: { upstream: 502 } })
  },
}
