import { callToolAsTask, HostCapabilityError } from '@mcp-task-machine/core'
import { fromApp } from '@mcp-task-machine/core/apps'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createApp, modern, openHost, openView, watch } from './fixture.ts'

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })

describe('what the host offers', () => {
  test('tasks where it declares them, of 2026-07-28 unless it says otherwise', async () => {
    for (const [offer, generation] of [
      [{}, '2026-07-28'],
      [{ protocolVersion: '2025-11-25' }, '2025-11-25'],
    ] as const) {
      const experimental = { 'io.modelcontextprotocol/tasks': offer }
      const { connection } = await openView(null, { capabilities: { serverTools: {}, experimental } })
      expect(connection).toMatchObject({ supportsTasks: true, generation })
    }
  })

  test('no tasks elsewhere: a call is answered outright, and a task that is demanded is refused unsent', async () => {
    const { client } = await modern()
    const { connection, of } = await openView(client, { relays: false })
    expect(connection).toMatchObject({ supportsTasks: false, generation: 'none' })
    await expect(callToolAsTask(connection, 'greet', { name: 'Ada' })).rejects.toBeInstanceOf(HostCapabilityError)
    expect(of('tools/call')).toEqual([])
    const handle = await watch({ connection, tool: 'greet' }).fire({ name: 'Ada' })
    expect(await handle.result()).toMatchObject({ data: 'Hello, Ada!' })
  })

  test('without server tools nothing is sent', async () => {
    const { connection, sent } = await openView(null, { capabilities: {} })
    const before = sent.length
    await expect(watch({ connection, tool: 'greet' }).fire()).rejects.toMatchObject({ kind: 'unsupported' })
    await expect(connection.request('tasks/get', { taskId: 'a' })).rejects.toMatchObject({ reason: 'not-sent' })
    expect(sent.length).toBe(before)
  })

  test('before the app is connected nothing is known, and nothing is sent', async () => {
    const app = createApp()
    const connection = fromApp(app)
    expect(connection).toMatchObject({ supportsTasks: false, generation: 'none', endpoint: '' })
    await expect(connection.request('tools/call', { name: 'greet' })).rejects.toMatchObject({ reason: 'not-connected' })
    const { near } = await openHost(null)
    await app.connect(near)
    expect(connection.endpoint).toBe('mcp-app:panel@host')
    expect(fromApp(app, { endpoint: 'mine' }).endpoint).toBe('mine')
  })

  test('the same app and options give the same connection', () => {
    const app = createApp()
    expect(fromApp(app)).toBe(fromApp(app))
    expect(fromApp(app, { principal: 'ada' })).not.toBe(fromApp(app))
  })

  test('a host that got no answer says so: the call is lost, not failed', async () => {
    const { bridge, connection } = await openView(null)
    let code = -32001
    bridge.oncalltool = () => Promise.reject(Object.assign(new Error('no'), { code }))
    await expect(watch({ connection, tool: 'greet' }).fire()).rejects.toMatchObject({ kind: 'lost' })
    code = -32602
    await expect(watch({ connection, tool: 'greet' }).fire()).rejects.toMatchObject({ code: -32602 })
  })
})

describe('a host that asks a person first', () => {
  afterEach(() => void vi.useRealTimers())

  async function asking() {
    const { bridge, connection } = await openView(null)
    let answer = () => {}
    bridge.oncalltool = async () => {
      await new Promise<void>((resolve) => (answer = resolve))
      return text('done')
    }
    vi.useFakeTimers()
    const runner = watch({ connection, tool: 'greet' })
    const fired = runner.fire()
    fired.catch(() => {})
    return { runner, fired, answer: () => answer() }
  }

  test('a call is waited for while it is approved', async () => {
    const { runner, fired, answer } = await asking()
    await vi.advanceTimersByTimeAsync(9 * 60_000)
    expect(runner.getSnapshot()).toMatchObject({ phase: 'submitting', progress: null, error: null })
    answer()
    await vi.advanceTimersByTimeAsync(0)
    expect(await (await fired).result()).toMatchObject({ data: 'done' })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('but not for ever; an answer after that still counts', async () => {
    const { runner, fired, answer } = await asking()
    await vi.advanceTimersByTimeAsync(12 * 60_000)
    await expect(fired).rejects.toMatchObject({ kind: 'lost' })
    answer()
    await vi.advanceTimersByTimeAsync(0)
    expect(runner.getSnapshot()).toMatchObject({ phase: 'completed' })
  })
})
