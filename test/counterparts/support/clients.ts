import type { TaskConnection } from '@mcp-task-machine/core'
import { fromClient } from '@mcp-task-machine/core/mcp'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Program } from './programs.ts'
import { recordFetch, recordStdio, Wire, type Json } from './wire.ts'

/** ms; programs with a database in them take their time on a busy machine. */
const SLOWEST_START = 110_000
const info = { name: 'counterparts', version: '1.0.0' }
const capabilities = { elicitation: { form: {} }, sampling: {} }

const v2 = (mode: 'legacy' | 'auto' | { pin: string }) => ({
  create: () => new Client(info, { capabilities, versionNegotiation: { mode } }),
  Http: StreamableHTTPClientTransport,
  Stdio: StdioClientTransport,
})

/** Both SDK clients, 2.x in every way it can agree on a version. */
const clients = {
  'SDK 1.x': { create: () => new ClientV1(info, { capabilities }), Http: HttpV1, Stdio: StdioV1 },
  'SDK 2.x': v2('legacy'),
  'SDK 2.x, auto': v2('auto'),
  'SDK 2.x, 2026-07-28': v2({ pin: '2026-07-28' }),
}

export type Kind = keyof typeof clients
/** Those that can speak 2025-11-25. */
export const legacyKinds = ['SDK 1.x', 'SDK 2.x', 'SDK 2.x, auto'] as const satisfies readonly Kind[]

export interface Connected {
  readonly client: Client | ClientV1
  readonly connection: TaskConnection
  readonly wire: Wire
}

const open: (Client | ClientV1)[] = []

/** A new client of this kind, connected to a server that listens, or to a program of its own over stdio. */
export async function connect(kind: Kind, to: URL | Program): Promise<Connected> {
  const { create, Http, Stdio } = clients[kind]
  const wire = new Wire()
  const client = create()
  const transport =
    to instanceof URL
      ? new Http(to, { fetch: recordFetch(wire) })
      : new Stdio({
          command: process.execPath,
          args: [to.file, ...(to.args ?? [])],
          env: { ...to.env },
          stderr: 'ignore',
        })
  if (!(to instanceof URL)) recordStdio(transport, wire)
  open.push(client)
  // The SDK's own classes disagree about optional members under exactOptionalPropertyTypes.
  await client.connect(transport as never, { timeout: SLOWEST_START })
  return { client, connection: fromClient(client), wire }
}

const anything = {
  '~standard': { version: 1, validate: (value: unknown) => ({ value }) },
  safeParse: (data: unknown) => ({ success: true, data }),
}

/** What the server says to a request that a connection would not send. */
export function askServer({ client }: Connected, method: string, params: Json): Promise<Json> {
  return (client as Json)['request']({ method, params }, anything)
}

export async function disconnectAll(): Promise<void> {
  await Promise.all(open.splice(0).map((client) => client.close()))
}
