import type { JsonObject, TaskConnection } from '@mcp-task-machine/core'
import { createReports } from '@mcp-task-machine/example-ui'
import { expect, test, vi } from 'vitest'

/** A connection whose answers the test gives, one by one. */
function ask() {
  const waiting: PromiseWithResolvers<JsonObject>[] = []
  const request = vi.fn<TaskConnection['request']>(() => {
    const answer = defer<JsonObject>()
    waiting.push(answer)
    return answer.promise
  })
  return { request, connection: { request } as unknown as TaskConnection, next: () => waiting.shift()! }
}
interface PromiseWithResolvers<Value> {
  readonly promise: Promise<Value>
  resolve(value: Value): void
  reject(error: Error): void
}
function defer<Value>(): PromiseWithResolvers<Value> {
  let resolve!: (value: Value) => void
  let reject!: (error: Error) => void
  const promise = new Promise<Value>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
const listOf = (...names: string[]) => ({ resources: names.map((name) => ({ uri: `report://${name}`, name })) })

test('the list is unknown, then what was read', async () => {
  const { connection, next } = ask()
  const reports = createReports(connection)
  expect(reports.getSnapshot()).toEqual({ reports: null, problem: null })
  const changed = new Promise<void>((resolve) => reports.subscribe(resolve))
  reports.read()
  next().resolve(listOf('a'))
  await changed
  expect(reports.getSnapshot()).toEqual({ reports: [{ uri: 'report://a', title: 'a' }], problem: null })
})

test('asked during a reading, it reads once more, and shows the last', async () => {
  const { request, connection, next } = ask()
  const reports = createReports(connection)
  const changed = new Promise<void>((resolve) => reports.subscribe(resolve))
  reports.read()
  reports.read()
  reports.read()
  next().resolve(listOf('old'))
  await vi.waitFor(() => expect(request).toHaveBeenCalledTimes(2))
  next().resolve(listOf('new', 'old'))
  await changed
  expect(request).toHaveBeenCalledTimes(2)
  expect(reports.getSnapshot().reports).toHaveLength(2)
})

test('a reading that fails keeps the list and says why', async () => {
  const { connection, next } = ask()
  const reports = createReports(connection)
  const listener = vi.fn<() => void>()
  reports.subscribe(listener)
  reports.read()
  next().resolve(listOf('a'))
  await vi.waitFor(() => expect(listener).toHaveBeenCalledTimes(1))
  reports.read()
  next().reject(new Error('Away.'))
  await vi.waitFor(() => expect(listener).toHaveBeenCalledTimes(2))
  expect(reports.getSnapshot()).toMatchObject({ reports: [{ title: 'a' }], problem: 'Away.' })
})

test('a report is read as one text', async () => {
  const { request, connection, next } = ask()
  const text = createReports(connection).text('report://a')
  next().resolve({ contents: [{ text: 'one' }, { blob: 'AA' }, { text: 'two' }] })
  expect(await text).toBe('one\n\ntwo')
  expect(request).toHaveBeenCalledWith('resources/read', { uri: 'report://a' })
})
