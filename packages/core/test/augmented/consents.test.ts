import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { plain } from '../../src/index.ts'
import { createAugmentedRun, fireCall, openKeys, wrapped } from '../support/augmented.ts'
import { accepted, settle, toolResult } from '../support/fake-connection.ts'
import { ignore, stateOf, type Answer, type Options } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const consent = (elicitationId: string) => ({
  mode: 'url',
  elicitationId,
  url: `https://tiles.example/consent/${elicitationId}`,
  message: 'Link your account',
})
const wanted = (...elicitations: unknown[]) => ({ code: -32042, message: 'Consent first', data: { elicitations } })

/** A call that was refused until consents are given. */
async function startConsent(ids: string[], options: Options = {}) {
  const run = createAugmentedRun(options)
  const fired = run.runner.fire({ city: 'Turku' }, { ttl: 1500, meta: { trace: 't-1' } })
  ignore(fired)
  await settle()
  await run.connection.last('tools/call').fail(wanted(...ids.map(consent)))
  return { run, fired }
}

describe.each([
  ['a task', 'auto'],
  ['a plain call', plain()],
] as const)('the server wants consents before it begins %s', (_, protocol) => {
  test('they are shown, nothing is sent, and once all are given the same call goes out again', async () => {
    const { run, fired } = await startConsent(['el-5', 'el-6'], { protocol })
    expect(run.view()).toMatchObject({ phase: 'input_required', task: null, canRespond: true, error: null })
    expect(run.view().inputRequests).toMatchObject({
      'el-5': { kind: 'elicitation', params: consent('el-5'), server: run.connection.endpoint },
      'el-6': { kind: 'elicitation', params: consent('el-6') },
    })
    ignore(run.runner.respond({ 'el-5': { action: 'accept' } }))
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(openKeys(run)).toEqual(['el-6'])
    expect(run.connection.wire).toEqual(['tools/call'])
    ignore(run.runner.respond({ 'el-6': { action: 'accept' } }))
    await settle()
    expect(run.connection.wire).toEqual(['tools/call', 'tools/call'])
    const [first, second] = run.connection.sent
    expect(second!.params).toEqual(first!.params)
    expect(second!.params).not.toHaveProperty('inputResponses')
    expect(second!.params).not.toHaveProperty('requestState')
    expect(await stateOf(fired)).toBe('pending')
    await second!.answer(protocol === 'auto' ? wrapped() : toolResult())
    expect(await stateOf(fired)).toBe('resolved')
    expect(run.view()).toMatchObject({
      phase: protocol === 'auto' ? 'working' : 'completed',
      inputRequests: {},
      error: null,
    })
  })

  test.each(['decline', 'cancel'])('one is answered `%s`: the tool is not called again', async (action) => {
    const { run, fired } = await startConsent(['el-5', 'el-6'], { protocol, idempotent: true })
    ignore(run.runner.respond({ 'el-5': { action: 'accept' }, 'el-6': { action } }))
    expect(await stateOf(fired)).toBe('rejected: input-required')
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'input-required', code: -32042 } })
    await vi.advanceTimersByTimeAsync(600_000)
    expect(run.connection.wire).toEqual(['tools/call'])
    expect(vi.getTimerCount()).toBe(0)
    expect(run.connection.listeners).toBe(0)
  })

  test('cancelled meanwhile: nothing runs, and nothing is sent', async () => {
    const { run } = await startConsent(['el-5'], { protocol })
    ignore(run.runner.cancel())
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: true })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.connection.wire).toEqual(['tools/call'])
  })

  test('and wants another one after the first: it is asked, too', async () => {
    const { run } = await startConsent(['el-5'], { protocol })
    ignore(run.runner.respond({ 'el-5': { action: 'accept' } }))
    await settle()
    await run.connection.last('tools/call').fail(wanted(consent('el-7')))
    expect(openKeys(run)).toEqual(['el-7'])
    expect(run.connection.count('tools/call')).toBe(2)
  })

  test('and never has enough: after ten rounds it is a failure', async () => {
    const onInputRequired = vi.fn<Answer>(() => Promise.resolve({ action: 'accept' }))
    const run = createAugmentedRun({ protocol, onInputRequired })
    run.connection.on('tools/call', () => Promise.reject(wanted(consent('el-5'))))
    await fireCall(run)
    for (let n = 0; n < 20; n++) await settle()
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'protocol' } })
    expect(run.connection.count('tools/call')).toBeLessThanOrEqual(11)
  })
})

test.each([
  ['the same id twice', [consent('el-5'), consent('el-5')], 1],
  [
    'no ids',
    [
      { ...consent('el-5'), elicitationId: undefined },
      { ...consent('el-6'), elicitationId: '' },
    ],
    2,
  ],
  ['an id that is no ordinary key', [consent('__proto__')], 1],
])('consents with %s are all shown, and can be given', async (_, elicitations, count) => {
  const run = createAugmentedRun()
  await (await fireCall(run)).fail(wanted(...elicitations))
  const keys = openKeys(run)
  expect(keys).toHaveLength(count)
  ignore(run.runner.respond(Object.fromEntries(keys.map((key) => [key, { action: 'accept' }]))))
  await settle()
  expect(run.connection.count('tools/call')).toBe(2)
})

test.each([
  ['without a list', { code: -32042, message: 'Consent first' }],
  ['with an empty list', wanted()],
  ['with something else in its place', { code: -32042, message: 'Consent first', data: { elicitations: 'el-5' } }],
])('the error %s is a failure of the call', async (_, failure) => {
  const run = createAugmentedRun()
  await (await fireCall(run)).fail(failure)
  expect(run.view()).toMatchObject({
    phase: 'failed',
    inputRequests: {},
    error: { kind: 'protocol', code: -32042, message: 'Consent first' },
  })
  expect(run.connection.wire).toEqual(['tools/call'])
})

test('what a person fills in goes nowhere: the call is sent again as it was', async () => {
  const { run } = await startConsent(['el-5'])
  ignore(run.runner.respond({ 'el-5': accepted }))
  await settle()
  expect(JSON.stringify(run.connection.last('tools/call').params)).not.toContain('"ok"')
})

test('the news that a consent was completed is not waited for', async () => {
  const { run } = await startConsent(['el-5'])
  run.connection.push('notifications/elicitation/complete', { elicitationId: 'el-5' })
  await settle()
  expect(run.view()).toMatchObject({ phase: 'input_required' })
  expect(run.connection.wire).toEqual(['tools/call'])
})
