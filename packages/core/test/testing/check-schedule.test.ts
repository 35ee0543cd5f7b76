import { expect, test } from 'vitest'
import {
  createScriptedServer,
  type Flavour,
  type Schedule,
  type ScriptedServerOptions,
} from '../../src/testing/index.ts'

const ask = { ocean: { method: 'elicitation/create', params: {} } }

const bad: readonly (readonly [what: string, schedule: unknown, sentence: RegExp, flavour?: Flavour])[] = [
  ['nothing', undefined, /Expected the schedule to be a list of steps, such as \{/],
  ['one step alone', { status: 'completed' }, /the schedule to be a list/],
  ['a word', ['completed'], /step 1 of the schedule to be an object/],
  [
    'a misspelt key',
    [{ after: 1 }, { statuss: 'completed' }],
    /step 2 of the schedule to have only .*, and not `statuss`/,
  ],
  [
    'a key of another kind',
    [{ fault: 'drop', message: 'no' }],
    /to have only after, fault, times, on, and not `message`/,
  ],
  ['a time before', [{ after: -1 }], /`after` in step 1 of the schedule to be a number of ms, 0 or more/],
  ['a time that is none', [{ after: NaN }], /`after` in step 1/],
  ['a time that never comes', [{ after: Infinity, status: 'completed' }], /`after` in step 1/],
  [
    'work after the end',
    [{ status: 'completed' }, { status: 'working' }],
    /nothing but faults after `completed`, and not step 2/,
  ],
  ['two ends', [{ status: 'failed' }, { status: 'completed' }], /nothing but faults after `failed`/],
  ['a status that is no word', [{ status: 5 }], /`status` in step 1 .* to be a text/],
  ['an unknown fault', [{ fault: 'hiccup' }], /`fault` in step 1 .* to be one of drop, reset, .* HTTP `status`/],
  ['an error that says nothing', [{ fault: {} }], /`fault` in step 1/],
  ['no requests', [{ fault: 'drop', times: 0 }], /`times` in step 1 .* positive number of requests/],
  [
    'something after all requests',
    [{ fault: 'drop', times: Infinity }, { status: 'completed' }],
    /nothing after step 1/,
  ],
  ['a fault of nothing', [{ fault: 'drop', on: '' }], /`on` in step 1/],
  ['half a connection', [{ connection: 'slow' }], /`connection` in step 1 .* to be closed or open/],
  ['a question without words', [{ status: 'input_required' }], /`input_required` and `ask` together in step 1/],
  ['words without a question', [{ status: 'working', ask }], /`input_required` and `ask` together/],
  ['a question of nothing', [{ status: 'input_required', ask: {} }], /`input_required` and `ask` together/],
  ['a question without a method', [{ status: 'input_required', ask: { a: {} } }], /elicitation\/create/],
  ['progress in words', [{ progress: 'half' }], /`progress` in step 1 .* number of percent/],
  ['progress without a value', [{ progress: { total: 5 } }], /`progress` in step 1/],
  ['a result on the way', [{ result: 'Done' }], /a `status` that ends the work beside `result` in step 1/],
  ['a result that is a number', [{ status: 'completed', result: 5 }], /`result` in step 1 .* a text or an object/],
  ['an error of success', [{ status: 'completed', error: { message: 'No' } }], /`error` in step 1 .* beside `failed`/],
  [
    'an error without a message',
    [{ status: 'failed', error: { code: 5 } }],
    /`error` in step 1 .* to have a `message`/,
  ],
  ['a push that is a word', [{ push: 'yes' }], /`push` in step 1/],
  [
    'what a job cannot ask',
    [{ status: 'input_required', ask }],
    /no `input_required` in step 1 .* job tools ask nothing/,
    'jobTools',
  ],
  ['what a plain call cannot say', [{ status: 'cancelled' }], /no `cancelled` in step 1/, 'plain'],
  [
    'a word of job tools',
    [{ status: 'succeeded' }],
    /`completed` or `failed` in step 1 .*: `succeeded` is a word of job tools/,
  ],
  ['a function', [{ status: 'completed', result: { content: [], f: () => {} } }], /the schedule to be plain data/],
]

test.each(bad)('%s is no schedule, which is said at once', (_, schedule, sentence, flavour = 'extension') => {
  const make = () => createScriptedServer(schedule as Schedule, { flavour: flavour as Flavour })
  expect(make).toThrow(TypeError)
  expect(make).toThrow(sentence)
})

const options: readonly (readonly [object, RegExp])[] = [
  [{ flavour: 'tasks' }, /`flavour` to be one of extension, augmented, plain, jobTools/],
  [{ flavour: 'toString' }, /`flavour` to be one of/],
  [{ clock: {} }, /`clock` to have now, setTimeout and clearTimeout/],
  [{ clock: null }, /`clock` to have/],
  [{ pollInterval: 0 }, /`pollInterval` to be a positive/],
  [{ latency: -5 }, /`latency` to be/],
  [{ ttl: NaN }, /`ttl` to be/],
  [{ onCancel: [{ status: 'cancelled' }, {}] }, /step 2 of `onCancel`/],
  [{ onRetry: 'again' }, /`onRetry` to be a list/],
]

test.each(options)('%o is refused at once', (option, sentence) => {
  expect(() => createScriptedServer([], option as ScriptedServerOptions)).toThrow(sentence)
})

test('a schedule is read once: changing it later changes nothing', async () => {
  const steps = [{ after: 100, status: 'completed', result: { content: [] } }]
  const { connection, clock } = createScriptedServer(steps)
  steps[0]!.status = 'failed'
  await connection.request('tools/call', { name: 'anything' })
  await clock.advance(100)
  expect(await connection.request('tasks/get', { taskId: 'task-1' })).toMatchObject({ status: 'completed' })
})

test('nobody who gets an answer can change the next one', async () => {
  const { connection } = createScriptedServer([{ status: 'completed', result: { content: [], data: { n: 1 } } }])
  await connection.request('tools/call', { name: 'anything' })
  const read = () =>
    connection.request('tasks/get', { taskId: 'task-1' }) as Promise<{ result: { data: { n: number } } }>
  const first = await read()
  first.result.data.n = 2
  expect((await read()).result.data.n).toBe(1)
})
