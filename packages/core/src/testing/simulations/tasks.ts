import type { TaskContext } from '../../machine/context.ts'
import type { TaskStatus } from '../../task.ts'
import { simulate, stamp } from './simulation.ts'

const base = { tool: 'start_research', args: { query: 'What moves the tides?' } } as const

const working = { message: 'Reading sources.' } as const
const answer = 'The Moon, and a little the Sun.'
const ask = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Which ocean do you mean?',
    requestedSchema: {
      type: 'object',
      properties: { ocean: { type: 'string', title: 'Ocean', enum: ['Atlantic', 'Pacific'] } },
      required: ['ocean'],
    },
  },
} as const

/** What a runner remembers of the task after an answer. @param at ms after the call, when the task last changed */
function told(
  more: Partial<TaskContext> = {},
  {
    status = 'working',
    at = 0,
    message = working.message as string,
  }: { status?: TaskStatus; at?: number; message?: string } = {},
): Partial<TaskContext> {
  return {
    task: {
      taskId: 'task-1',
      status,
      statusMessage: message,
      createdAt: stamp(0),
      lastUpdatedAt: stamp(at),
      ttl: null,
      pollInterval: 1000,
    },
    progress: { value: null, total: null, percent: null, message },
    ...more,
  }
}

/** MCP tasks and plain calls. */
export const tasks = {
  submitting: simulate({
    ...base,
    // A day: the usual minute would end it while one looks.
    options: { submitTimeout: 86_400_000 },
    title: 'Submitting',
    sentence: 'The call has been sent and not yet been answered. You may cancel it.',
    schedule: [{ fault: 'drop' }],
    phase: 'submitting',
    context: {},
  }),
  working: simulate({
    ...base,
    title: 'Working',
    sentence: 'The task is accepted and tells in words how far it is. You may cancel it or leave the page.',
    schedule: [working],
    phase: 'working',
    context: told(),
  }),
  inputRequired: simulate({
    ...base,
    title: 'Input required',
    sentence: 'The server asks a question and waits. You may answer it, refuse to, or cancel.',
    schedule: [working, { after: 500, status: 'input_required', message: 'One question first.', ask: { ocean: ask } }],
    takes: 1000,
    phase: 'input_required',
    context: told(
      {
        inputRequests: { ocean: { key: 'ocean', kind: 'elicitation', ...ask, server: 'https://scripted.example/mcp' } },
      },
      { status: 'input_required', at: 500, message: 'One question first.' },
    ),
  }),
  offline: simulate({
    ...base,
    title: 'Offline',
    sentence: 'The page has no network and looks again when it has. The work goes on at the server.',
    schedule: [working],
    act: 'offline',
    phase: 'working',
    context: told({ resting: ['offline'] }),
  }),
  disconnected: simulate({
    ...base,
    title: 'Disconnected',
    sentence: 'The connection has closed. The page looks again over the next one; the work goes on at the server.',
    schedule: [working, { after: 500, connection: 'closed' }],
    takes: 1000,
    phase: 'working',
    context: told({ resting: ['connection'] }),
  }),
  detached: simulate({
    ...base,
    title: 'Detached',
    sentence: 'You have stopped watching, and the work goes on at the server. You may look again or cancel.',
    schedule: [working],
    act: 'detach',
    phase: 'working',
    context: told({ resting: ['asked'] }),
  }),
  unreachable: simulate({
    ...base,
    title: 'Unreachable',
    sentence: 'The server has not answered several times, and the page has stopped asking. You may look again.',
    schedule: [working, { after: 500, fault: 'unavailable', times: Infinity }],
    takes: 20_000,
    phase: 'detached',
    context: told({ error: { kind: 'unreachable', message: 'Service Unavailable', retryable: true } }),
  }),
  tookTooLong: simulate({
    ...base,
    options: { maxWait: 3000 },
    title: 'Took too long',
    sentence: 'The page has stopped waiting, and the work may still be going on. You may look again.',
    schedule: [working],
    takes: 5000,
    phase: 'detached',
    context: told({
      error: {
        kind: 'timeout',
        message: 'The run took longer than `maxWait`: it may still be going on, and can be resumed.',
        retryable: true,
      },
    }),
  }),
  lost: simulate({
    ...base,
    title: 'Lost',
    sentence:
      'The connection broke before the call was answered: nobody knows whether the work began. You may send it again.',
    schedule: [{ fault: 'reset' }],
    phase: 'detached',
    context: { error: { kind: 'lost', message: 'The connection was reset.' } },
  }),
  expired: simulate({
    ...base,
    title: 'Expired',
    sentence: 'The server has let go of the task, and its result with it. You may try again.',
    schedule: [working, { after: 500, fault: 'gone', times: Infinity }],
    takes: 3000,
    phase: 'expired',
    context: told({ error: { kind: 'expired', message: 'The server does not know the task, or no longer.' } }),
  }),
  completed: simulate({
    ...base,
    server: { flavour: 'plain' },
    title: 'Completed, by a plain call',
    sentence: 'The result is there; it came as the answer to the call, without a task. You may begin another one.',
    schedule: [{ after: 500, status: 'completed', result: answer }],
    takes: 1000,
    phase: 'completed',
    context: {
      task: { taskId: null, status: 'completed' },
      result: {
        data: answer,
        content: [{ type: 'text', text: answer }],
        isError: false,
        raw: { content: [{ type: 'text', text: answer }] },
      },
    },
  }),
}
