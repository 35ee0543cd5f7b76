import { setTimeout as delay } from 'node:timers/promises'
import { startServer, type ServerOptions } from '../../../examples/server/src/index.ts'
import { httpWire } from './http-wire.ts'
import { endProcesses } from './server-process.ts'
import { httpSession, stdioSession } from './session.ts'
import { stdioWire } from './stdio-wire.ts'
import type { Json } from './wire.ts'

/** The ways to reach a server: a transport, and a generation of MCP. */
export const WAYS = [
  ['http', '2026-07-28'],
  ['http', '2025-11-25'],
  ['stdio', '2026-07-28'],
  ['stdio', '2025-11-25'],
] as const

/** What a client of job tools does: nothing but plain calls. */
export interface Caller {
  request(method: string, params?: Json): Promise<Json>
  call(name: string, args: Json, meta?: Json): Promise<Json>
}

/** Calls tools over whatever carries its requests. */
export function caller({ request }: Pick<Caller, 'request'>): Caller {
  return { request, call: (name, args, _meta = {}) => request('tools/call', { name, arguments: args, _meta }) }
}

/** A server of its own, reached in one of the ways. */
export async function reach(
  [transport, generation]: (typeof WAYS)[number],
  options: ServerOptions = {},
): Promise<Caller & { leave(): Promise<void> }> {
  const modern = generation === '2026-07-28'
  if (transport === 'stdio') {
    const wire = modern ? stdioWire(['--fixtures']) : await stdioSession(['--fixtures'])
    return { ...caller(wire), leave: endProcesses }
  }
  const server = await startServer({ port: 0, fixtures: true, ...options })
  if (modern) return { ...caller(httpWire(server.url)), leave: () => server.close() }
  const session = await httpSession(server.url)
  const leave = async () => {
    await session.leave()
    await server.close()
  }
  return { ...caller(session), leave }
}

/** Starts a report and gives its job's id. */
export async function startReport({ call }: Caller, args: Json): Promise<string> {
  return (await call('start_report', { query: 'tea', ...args }))['structuredContent'].jobId
}

/** Reads a job over and over, as an app does, until it is where the test wants it. Gives all that was read, the last at the end. */
export async function follow({ call }: Caller, jobId: string, reached: (job: Json) => boolean): Promise<Json[]> {
  const seen: Json[] = []
  for (;;) {
    const { structuredContent, isError } = await call('get_report_status', { jobId })
    if (isError) throw new Error('The job is gone.')
    seen.push(structuredContent)
    if (reached(structuredContent)) return seen
    await delay(20)
  }
}

/** Reads a job until nothing more can happen to it. */
export async function ended(client: Caller, jobId: string): Promise<Json> {
  return (await follow(client, jobId, ({ canCancel, status }) => !canCancel && status !== 'cancel_requested')).at(-1)!
}
