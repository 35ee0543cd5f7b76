import type { JsonObject, RequestOptions, TaskConnection } from '../../src/index.ts'
import { createAsker, type Asked as AskedAtOnce } from './asker.ts'

/** One request as it went out, waiting for the test to answer it. */
export interface Sent {
  readonly method: string
  readonly params: JsonObject
  readonly options: RequestOptions
  /** ms of the clock. */
  readonly at: number
  answer(result: JsonObject): Promise<void>
  fail(error: object): Promise<void>
}

/** A request of the server to the client, with time for what its withdrawal leads to. */
export interface Asked extends Omit<AskedAtOnce, 'withdraw'> {
  withdraw(): Promise<void>
}

export interface FakeConnection extends TaskConnection {
  /** Everything that went out, oldest first. */
  readonly sent: Sent[]
  /** The methods that went out, oldest first. */
  readonly wire: string[]
  /** Answers a method by itself from now on; `undefined` leaves it to the test again. */
  on(method: string, answer: ((params: JsonObject, nth: number) => JsonObject | Promise<JsonObject>) | undefined): void
  /** The newest request of a method. */
  last(method: string): Sent
  count(method: string): number
  push(method: string, params: JsonObject): void
  /** The server asks the client; with an id it names its task as the related one. */
  ask(prompt: JsonObject, taskId?: string | null): Promise<Asked>
  close(reason?: unknown): void
  readonly listeners: number
}

/** Lets everything that waits for microtasks only happen. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve()
}

/** A connection whose every answer comes from the test. What it leaves out (real frames, transports, SDKs) is covered in `test/mcp`. */
export function createFakeConnection(over: Partial<TaskConnection> = {}): FakeConnection {
  const sent: Sent[] = []
  const answers = new Map<string, (params: JsonObject, nth: number) => JsonObject | Promise<JsonObject>>()
  const notified = new Map<string, Set<(params: JsonObject) => void>>()
  const closing = new Set<(reason: unknown) => void>()
  const asker = createAsker()
  const count = (method: string) => sent.filter((request) => request.method === method).length
  return {
    sent,
    get wire() {
      return sent.map(({ method }) => method)
    },
    on: (method, answer) => void (answer ? answers.set(method, answer) : answers.delete(method)),
    last(method) {
      const found = sent.findLast((request) => request.method === method)
      if (!found)
        throw new Error(`No ${method} went out; these did: ${sent.map((request) => request.method).join(', ')}`)
      return found
    },
    count,
    push(method, params) {
      for (const listener of notified.get(method) ?? []) listener(params)
    },
    async ask(prompt, taskId = null) {
      const asked = asker.ask(prompt, taskId)
      await settle()
      return {
        get told() {
          return asked.told
        },
        withdraw: () => (asked.withdraw(), settle()),
      }
    },
    close(reason) {
      for (const listener of closing) listener(reason)
    },
    get listeners() {
      return closing.size + asker.size + [...notified.values()].reduce((sum, set) => sum + set.size, 0)
    },
    request(method, params, options = {}) {
      return new Promise((resolve, reject) => {
        sent.push({
          method,
          params,
          options,
          at: Date.now(),
          answer: (result) => (resolve(result), settle()),
          fail: (error) => (reject(error), settle()),
        })
        const answer = answers.get(method)
        if (answer) Promise.resolve(answer(params, count(method))).then(resolve, reject)
      })
    },
    onNotification(method, listener) {
      const set = notified.get(method) ?? new Set()
      notified.set(method, set.add(listener))
      return () => set.delete(listener)
    },
    onServerRequest: asker.onServerRequest,
    supportsTasks: true,
    generation: '2026-07-28',
    taskSupport: () => Promise.resolve('optional'),
    endpoint: 'https://tiles.example/mcp',
    clock: {
      now: () => Date.now(),
      setTimeout: (run, ms) => setTimeout(run, ms),
      clearTimeout: (id) => clearTimeout(id as never),
    },
    random: () => 0,
    onClose(listener) {
      closing.add(listener)
      return () => closing.delete(listener)
    },
    ...over,
  }
}

export { relatedTo } from './asker.ts'

/** The answers a server of 2026-07-28 gives. */
export const handle = (over: JsonObject = {}): JsonObject => ({
  resultType: 'task',
  taskId: 'tk-1',
  status: 'working',
  ttlMs: null,
  pollIntervalMs: 1000,
  ...over,
})
export const snapshot = (status = 'working', over: JsonObject = {}): JsonObject => ({
  resultType: 'complete',
  taskId: 'tk-1',
  status,
  ttlMs: null,
  pollIntervalMs: 1000,
  ...over,
})
export const toolResult = (text = '60 tiles', over: JsonObject = {}): JsonObject => ({
  content: [{ type: 'text', text }],
  ...over,
})
export const completed = (text?: string): JsonObject => snapshot('completed', { result: toolResult(text) })
export const elicitation = (message = 'Replace 9 old tiles?'): JsonObject => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] } },
})
export const accepted = { action: 'accept', content: { ok: true } }
