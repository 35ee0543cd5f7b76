import { readAnswer } from '../../src/protocols/call.ts'
import { extension, type JsonObject } from '../../src/index.ts'
import type { TaskContext } from '../../src/machine/context.ts'
import type { Protocol } from '../../src/protocols/protocol.ts'
import { readFailure } from '../../src/wire/failure.ts'
import { malformed } from '../../src/wire/result.ts'
import { accepted, completed, elicitation, handle, snapshot, toolResult } from './fake-connection.ts'
import { hour, type PathEvent, type Replay } from './replay.ts'
import { trouble } from './runs.ts'

const ttl = 2 * hour
const protocol = extension() as Protocol
const server = 'https://tiles.example/mcp'
const asks = snapshot('input_required', { ttlMs: ttl, inputRequests: { overwrite: elicitation() } })
const reference = {
  version: 1,
  protocol: 'extension',
  endpoint: server,
  tool: 'tile_city',
  taskId: 'tk-1',
  pollInterval: 1000,
}

const user = (label: string, event: { type: string; [detail: string]: unknown }): PathEvent => ({
  ...event,
  label,
  cause: (replay) => replay.send(event),
})

export const userEvents = [
  user('fire', { type: 'fire' }),
  user('cancel', { type: 'cancel' }),
  user('retry', { type: 'retry' }),
  user('refresh', { type: 'refresh' }),
  user('resume', { type: 'resume' }),
  user('detach', { type: 'detach' }),
  user('unwatch', { type: 'unwatch' }),
  user('watch', { type: 'watch' }),
  user('reset', { type: 'reset' }),
  user('respond', { type: 'respond', answers: { overwrite: accepted } }),
]
export const beginnings = [
  ...[
    ['resume', {}],
    ['resume cancelled', { cancelRequested: true }],
    ['resume lost', { taskId: null }],
  ].map(([label, over]) => user(label as string, { type: 'resume', reference: { ...reference, ...(over as object) } })),
  user('adopt task', { type: 'adopt', answer: handle({ ttlMs: ttl }) }),
  user('adopt result', { type: 'adopt', answer: toolResult() }),
]

/** The end of a request of an actor, by its answer or its error. */
const done = (actor: string, label: string, method: string, raw: JsonObject, output: unknown): PathEvent => ({
  type: `xstate.done.actor.${actor}`,
  label: `${actor}: ${label}`,
  output,
  cause: (replay: Replay) => replay.answer(method, raw),
})
const error = (actor: string, label: keyof typeof trouble, method: string): PathEvent => ({
  type: `xstate.error.actor.${actor}`,
  label: `${actor}: ${label}`,
  error: readFailure(trouble[label]),
  cause: (replay: Replay) => replay.fail(method, trouble[label]),
})

function newsOfAnswer(raw: JsonObject) {
  const news = readAnswer(raw, { endpoint: server })
  return { protocol: 'extension', ...news, ...(news.task?.taskId && { endsProgress: true as const }) }
}

const calls = (
  [
    ['task', handle({ ttlMs: ttl })],
    ['input_required', handle({ status: 'input_required', ttlMs: ttl })],
    ['completed', handle({ status: 'completed', ttlMs: ttl })],
    ['result', toolResult()],
    ['tool error', toolResult('no disk', { isError: true })],
    ['round', { resultType: 'input_required', requestState: 'qq', inputRequests: { overwrite: elicitation() } }],
    ['busy', { resultType: 'input_required', requestState: 'qq' }],
  ] as [string, JsonObject][]
).map(([label, raw]) => ({
  label,
  raw,
  news: newsOfAnswer(raw),
}))

const lost = { ...readFailure({}), kind: 'lost', answered: false }
export const submitted: PathEvent[] = [
  ...calls.map(({ label, raw, news }) => done('submit', label, 'tools/call', raw, news)),
  error('submit', 'unsent', 'tools/call'),
  error('submit', 'unauthorized', 'tools/call'),
  {
    type: 'xstate.error.actor.submit',
    label: 'submit: silence',
    error: lost,
    cause: (replay) => replay.wait(60_000),
  },
]
export const late = (epoch: number): PathEvent[] => [
  ...calls.map(({ label, raw, news }): PathEvent => ({
    type: 'submit.late',
    label: `late: ${label}`,
    epoch,
    news,
    cause: (replay: Replay) => replay.answer('tools/call', raw),
  })),
  {
    type: 'submit.late',
    label: 'late: gone',
    epoch,
    failure: { ...readFailure(trouble.gone), kind: 'protocol' },
    cause: (replay: Replay) => replay.fail('tools/call', trouble.gone),
  },
]

const news = (
  [
    ['working', snapshot('working', { ttlMs: ttl })],
    ['input_required', asks],
    ['completed', completed()],
    ['without payload', snapshot('completed', { ttlMs: ttl })],
    ['failed', snapshot('failed', { error: trouble.internal })],
    ['cancelled', snapshot('cancelled')],
    ['expired', snapshot('failed', { code: 'task_expired' })],
  ] as [string, JsonObject][]
).map(([label, raw]) => ({ label, raw, news: protocol.readSnapshot(raw, 'tk-1', { endpoint: server })! }))

/** News come by a read while reading goes on; by a push while it rests, or while the read that is out was asked for. */
export const told = (isRead: boolean): PathEvent[] =>
  news.map(({ label, raw, news: given }): PathEvent => ({
    type: 'poll.news',
    label: `${isRead ? 'read' : 'push'}: ${label}`,
    news: given,
    cause: (replay: Replay) =>
      isRead ? replay.answer('tasks/get', replay.fresh(raw)) : replay.push(replay.fresh(raw)),
  }))

export const readFails = (type: string, name: keyof typeof trouble): PathEvent => ({
  type,
  label: `read: ${name}`,
  failure: readFailure(trouble[name]),
  async cause(replay: Replay) {
    const { value } = replay.state()
    await replay.fail('tasks/get', trouble[name])
    // A task that was just made may be "not found" once.
    if (name === 'gone' && replay.state().value === value) await replay.fail('tasks/get', trouble[name])
  },
})

export const recovered: PathEvent = {
  type: 'poll.recovered',
  label: 'read: as before',
  cause: (replay) => replay.answer('tasks/get', replay.same()),
}
export const asked = (why: TaskContext['asked'], failed: boolean): PathEvent => ({
  type: 'poll.asked',
  label: failed ? 'the read that was asked for fails' : 'the read that was asked for says the same',
  why,
  failed,
  at: Infinity,
  cause: (replay: Replay) =>
    failed ? replay.fail('tasks/get', trouble.busy) : replay.answer('tasks/get', replay.same()),
})
export const closed = {
  type: 'surroundings',
  label: 'the connection closes',
  reasons: ['connection'],
  cause: (replay: Replay) => replay.close(),
}

export const settled = news.map(({ label, raw, news: given }) =>
  done('settle', label, 'tasks/get', raw, given.outcome ? given : { outcome: malformed('a result', raw) }),
)
export const settleErrors = (['gone', 'unauthorized', 'unknownMethod'] as const).map((name) =>
  error('settle', name, 'tasks/get'),
)

export const cancelAnswers: PathEvent[] = [
  done('cancel', 'heard', 'tasks/cancel', {}, {}),
  ...(['gone', 'unknownMethod', 'unauthorized'] as const).map((name) => error('cancel', name, 'tasks/cancel')),
  {
    type: 'cancel.unanswered',
    label: 'cancel: busy',
    cause: (replay) => replay.fail('tasks/cancel', trouble.busy),
  },
]
export const updateAnswers = (keys: readonly string[]) => [
  done('respond', 'heard', 'tasks/update', {}, { keys }),
  error('respond', 'gone', 'tasks/update'),
  error('respond', 'unauthorized', 'tasks/update'),
]
