import type { Clock, TaskConnection } from '../connection.ts'
import { systemClock } from './clock.ts'
import { endpointOf, hash } from './endpoint.ts'
import { ASK, CLOSE, createLink, type Link } from './link.ts'
import { createListen } from './listen.ts'
import { lacks, LEGACY, MODERN, supportsTasks, versionOf } from './negotiated.ts'
import { createRequest } from './request.ts'
import { declared } from './tool-declared.ts'
import type { Caller, McpClient } from './types.ts'

export interface FromClientOptions {
  /**
   * What references are bound to, where two transports lead to one server or one transport to several.
   * @default origin and path of the transport's URL; a child process's command and a hash of its arguments; the server's name
   */
  readonly endpoint?: string | undefined
  /** Who is logged in, by any name: references are kept apart by it, and those of another one are not read (SEC-6). @default not told */
  readonly principal?: string | undefined
  /** @default `Date.now` and the global timers, looked up at each call */
  readonly clock?: Clock | undefined
  /** A number from 0 up to 1, for jitter. @default `Math.random` */
  readonly random?: (() => number) | undefined
}

interface Known {
  readonly link: Link
  readonly made: { readonly endpoint: string | undefined; readonly connection: TaskConnection }[]
}

const clients = new WeakMap<object, Known>()

/**
 * A connection over an MCP SDK client, 1.x or 2.x, for any number of runners. It can be made before `connect()`, and goes on
 * when the client is connected anew. The same client and options give the same connection. Making one sends nothing.
 *
 * While in use it taps the client's transport in place, for its own requests only, since the SDKs refuse or answer by themselves
 * what these must see: a task for a call, `input_required`, progress after the answer. The app's own calls, handlers and
 * callbacks on the client behave as without it.
 *
 * Its requests reject with a `RequestError`.
 *
 * @example
 * const client = new Client({ name: 'my-app', version: '1.0.0' })
 * await client.connect(new StreamableHTTPClientTransport(new URL('https://example.com/mcp')))
 * const connection = fromClient(client)
 */
export function fromClient(client: McpClient, options: FromClientOptions = {}): TaskConnection {
  let known = clients.get(client)
  if (!known) clients.set(client, (known = { link: createLink(client as Caller), made: [] }))
  const { link, made } = known
  const { endpoint, principal, clock = systemClock, random = Math.random } = options

  const same = made.find(
    ({ connection, ...of }) =>
      of.endpoint === endpoint &&
      connection.principal === principal &&
      connection.clock === clock &&
      connection.random === random,
  )
  if (same) return same.connection
  const connection = connect(link, endpoint, { principal, clock, random })
  made.push({ endpoint, connection })
  return connection
}

function connect(
  link: Link,
  named: string | undefined,
  given: Pick<TaskConnection, 'principal' | 'clock' | 'random'>,
): TaskConnection {
  const { client, add } = link
  const request = createRequest(link)
  const listen = createListen(link)
  let endpoint = ''
  return {
    request,
    get listen() {
      // Absent by its value: what was negotiated is known only once the client is connected.
      return (versionOf(client) === MODERN ? listen : undefined)!
    },
    get generation() {
      const version = versionOf(client)
      return version === MODERN || version === LEGACY ? version : 'none'
    },
    get supportsTasks() {
      return supportsTasks(client)
    },
    get listsTasks() {
      return supportsTasks(client) && versionOf(client) === LEGACY && !lacks(client, 'tasks/list')
    },
    get endpoint() {
      const { transport } = client
      // Without a connection, that of the last one.
      if (transport) endpoint = endpointOf(transport) ?? client.getServerVersion()?.name ?? endpoint
      return named ?? endpoint
    },
    taskSupport: async (tool) => (await declared(link, request, tool))?.support ?? 'forbidden',
    toolMeta: async (tool) => (await declared(link, request, tool))?.meta,
    onNotification: add,
    onServerRequest: (listener) => add(ASK, listener),
    onClose: (listener) => add(CLOSE, listener),
    get session() {
      const id = client.transport?.sessionId
      return id && hash(id)
    },
    ...given,
  }
}
