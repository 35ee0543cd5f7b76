import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { events } from './http-wire.ts'
import { endProcesses, spawnServer } from './server-process.ts'
import { resultOf, type Json } from './wire.ts'

/** A message that the server sent without being asked, and the stream it came on: a request's method, or `GET`, or `stdio`. */
export interface Heard {
  readonly message: Json
  readonly stream: string
}

/** What a client says in a 2025-11-25 session, message by message, with no SDK in between. */
export interface Session {
  readonly initialized: Json
  /** Everything heard so far. */
  readonly heard: readonly Heard[]
  request(method: string, params?: Json, options?: { signal?: AbortSignal; id?: number }): Promise<Json>
  send(message: Json): Promise<void>
  /** The first message that fits, heard already or to come. */
  first(fits: (message: Json) => boolean): Promise<Heard>
  leave(): Promise<void>
}

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  clientInfo: { name: 'server-test', version: '0.0.0' },
  capabilities: { elicitation: { form: {} } },
}
let lastId = 0

class Ear {
  readonly heard: Heard[] = []
  #looks = new Set<() => void>()

  hear(message: Json, stream: string): void {
    this.heard.push({ message, stream })
    for (const look of this.#looks) look()
  }

  first(fits: (message: Json) => boolean): Promise<Heard> {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.heard.find(({ message }) => fits(message))
        if (!found) return
        this.#looks.delete(look)
        resolve(found)
      }
      this.#looks.add(look)
      look()
    })
  }
}

/** Sends a message as a session's client does; without a session id it is the first of its client. */
export function post(url: string, message: Json, sessionId?: string | null, signal?: AbortSignal): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(sessionId && { 'mcp-session-id': sessionId, 'mcp-protocol-version': '2025-11-25' }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    ...(signal && { signal }),
  })
}

/** Opens the stream of what a session's server says unasked. */
export function listen(url: string, sessionId: string, signal?: AbortSignal): Promise<Response> {
  const headers = { accept: 'text/event-stream', 'mcp-session-id': sessionId, 'mcp-protocol-version': '2025-11-25' }
  return fetch(url, { headers, ...(signal && { signal }) })
}

/** Begins a session over HTTP. */
export async function httpSession(url: string, { capabilities = INITIALIZE.capabilities as Json } = {}) {
  const ear = new Ear()
  const end = new AbortController()
  let sessionId: string | null = null
  const hearAll = async (response: Response, stream: string, answered?: (answer: Json) => void) => {
    for await (const message of events(response))
      if (message['method']) ear.hear(message, stream)
      else answered?.(message)
  }
  const request: Session['request'] = async (method, params = {}, { signal, id = ++lastId } = {}) => {
    const response = await post(url, { id, method, params }, sessionId, signal)
    sessionId ??= response.headers.get('mcp-session-id')
    if (!response.ok) throw new Error(`HTTP ${response.status}`)
    let answer: Json | undefined
    await hearAll(response, method, (message) => (answer = message))
    if (answer?.['id'] !== id) throw new Error('The stream ended without an answer.')
    return resultOf(answer!)
  }
  const initialized = await request('initialize', { ...INITIALIZE, capabilities })
  const send = async (message: Json) => {
    const response = await post(url, message, sessionId)
    if (response.status !== 202) throw new Error(`HTTP ${response.status}`)
  }
  await send({ method: 'notifications/initialized' })
  const stream = await listen(url, sessionId!, end.signal)
  hearAll(stream, 'GET').catch(() => {})
  const session: Session & { id: string } = {
    id: sessionId!,
    initialized,
    heard: ear.heard,
    request,
    send,
    first: (fits) => ear.first(fits),
    leave: async () => end.abort(),
  }
  return session
}

/** Begins a session over stdio, with a server of its own. */
export async function stdioSession(args: readonly string[] = []): Promise<Session> {
  const child = spawnServer(['stdio', ...args])
  const ear = new Ear()
  const answers = new Map<number, (answer: Json) => void>()
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const message: Json = JSON.parse(line)
    if (message['method']) ear.hear(message, 'stdio')
    else answers.get(message['id'])?.(message)
  })
  const send = async (message: Json) => void child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const request: Session['request'] = async (method, params = {}, { id = ++lastId } = {}) => {
    const answer = new Promise<Json>((resolve) => answers.set(id, resolve))
    await send({ id, method, params })
    return resultOf(await answer)
  }
  const initialized = await request('initialize', INITIALIZE)
  await send({ method: 'notifications/initialized' })
  const leave = async () => {
    const exit = once(child, 'exit')
    child.stdin!.end()
    await exit
    await endProcesses()
  }
  return { initialized, heard: ear.heard, request, send, first: (fits) => ear.first(fits), leave }
}

/** Calls a tool as a task and gives the whole answer. */
export function callTask(session: Session, name: string, args: Json, { ttl, _meta }: Json = {}): Promise<Json> {
  return session.request('tools/call', {
    name,
    arguments: args,
    task: { ...(ttl !== undefined && { ttl }) },
    ...(_meta && { _meta }),
  })
}

/** Calls a tool as a task and gives its id. */
export async function taskOf(session: Session, name: string, args: Json, options: Json = {}): Promise<string> {
  return (await callTask(session, name, args, options))['task'].taskId
}

/** The push that a task has this status. */
export async function pushOf(session: Session, taskId: string, status: string): Promise<Json> {
  const isIt = ({ method, params }: Json) =>
    method === 'notifications/tasks/status' && params.taskId === taskId && params.status === status
  return (await session.first(isIt)).message['params']
}

/** The next question about a task that is none of `known`. */
export function questionOf(session: Session, taskId: string, known: readonly Json[] = []): Promise<Heard> {
  return session.first(
    (message) =>
      message['method'] === 'elicitation/create' &&
      message['params']._meta?.['io.modelcontextprotocol/related-task'].taskId === taskId &&
      !known.includes(message),
  )
}
