import { TaskSlot, type TaskConnection, type UseTaskOptions } from '@mcp-task-machine/core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { completed, createFakeConnection, handle, snapshot } from '../../packages/core/test/support/fake-connection.ts'

const tool = 'start_research'
const key = 'report'
const ignore = () => {}

describe('a slot, which adapters stand on', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  function createServer() {
    const connection = createFakeConnection()
    connection.on('tools/call', (_, nth) => handle({ taskId: `tk-${nth}` }))
    connection.on('tasks/get', ({ taskId }) => snapshot('working', { taskId }))
    return connection
  }
  const slotOf = (connection: TaskConnection, options: UseTaskOptions = {}, name = tool) =>
    new TaskSlot(connection, name, { key, ...options })

  test('whose key is in use for another tool hears nothing of that, and says why when it is asked for its runner', async () => {
    const connection = createServer()
    const onSettled = vi.fn<() => void>()
    const [first, other] = [slotOf(connection), slotOf(connection, { onSettled }, 'book_trip')]
    first.watch(ignore)
    const changed = vi.fn<() => void>()
    other.watch(changed)
    changed.mockClear()
    expect(() => other.getRunner()).toThrow('use for start_research, not book_trip')
    connection.on('tasks/get', () => completed())
    await first.getRunner().fire()
    await vi.advanceTimersByTimeAsync(1000)
    expect(first.getRunner().getSnapshot().phase).toBe('completed')
    expect(onSettled).not.toHaveBeenCalled()
    expect(changed).not.toHaveBeenCalled()
  })

  test('that was away while its run was forgotten takes part in the one that goes on now', async () => {
    const connection = createServer()
    connection.on('tasks/get', () => completed())
    const old = slotOf(connection)
    const leave = old.watch(ignore)
    await old.getRunner().fire()
    await vi.advanceTimersByTimeAsync(1000)
    leave()
    await vi.advanceTimersByTimeAsync(5 * 60_000)
    connection.on('tasks/get', ({ taskId }) => snapshot('working', { taskId }))
    const now = slotOf(connection)
    now.watch(ignore)
    await now.getRunner().fire()
    const changed = vi.fn<() => void>()
    old.watch(changed)
    expect(old.getRunner()).toBe(now.getRunner())
    expect(old.getRunner().getSnapshot().task?.taskId).toBe('tk-2')
    expect(changed).toHaveBeenCalled()
  })

  test('keeps its run for those who come later, watched or not, until it is left', async () => {
    const connection = createServer()
    connection.on('tasks/get', () => completed())
    const first = slotOf(connection)
    const leave = first.enter(ignore)
    await first.getRunner().fire()
    await vi.advanceTimersByTimeAsync(20 * 60_000)
    expect(slotOf(connection).getRunner()).toBe(first.getRunner())
    leave()
    await vi.advanceTimersByTimeAsync(5 * 60_000)
    expect(slotOf(connection).getRunner()).not.toBe(first.getRunner())
  })

  test('stays for others, however often one of them leaves', async () => {
    const connection = createServer()
    const [first, second] = [slotOf(connection), slotOf(connection)]
    const leave = first.watch(ignore)
    second.enter(ignore)
    leave()
    leave()
    await vi.advanceTimersByTimeAsync(20 * 60_000)
    expect(slotOf(connection).getRunner()).toBe(second.getRunner())
  })

  test('keeps no process alive for the sake of what it has left', async () => {
    const unref = vi.fn<() => void>()
    const server = createServer()
    const connection = { ...server, clock: { ...server.clock, setTimeout: () => ({ unref }) } }
    slotOf(connection).watch(ignore)()
    expect(unref).toHaveBeenCalledTimes(1)
  })

  test('does not take two clients that have never been connected for one', () => {
    const [first, second] = [createFakeConnection({ endpoint: '' }), createFakeConnection({ endpoint: '' })]
    const slot = slotOf(first)
    expect([slot.fits(first, tool, key), slot.fits(second, tool, key)]).toEqual([true, false])
  })

  test('asks the person where no function answers, and the newest function where several do', async () => {
    const connection = createServer()
    const asked: string[] = []
    const answering = (name: string) => ({
      onInputRequired: async () => {
        asked.push(name)
        return { action: 'accept' }
      },
    })
    const slots = [slotOf(connection), slotOf(connection, answering('one')), slotOf(connection, answering('two'))]
    const leave = slots.map((slot) => slot.watch(ignore))
    const prompts = (name: string) => ({ [name]: { method: 'elicitation/create', params: { message: 'Why?' } } })
    const ask = async (name: string) => {
      connection.on('tasks/get', () => snapshot('input_required', { inputRequests: prompts(name) }))
      await vi.advanceTimersByTimeAsync(1000)
    }
    connection.on('tasks/update', () => ({ resultType: 'complete' }))
    await slots[0]!.getRunner().fire()
    await ask('first')
    expect(asked).toEqual(['two'])
    leave[1]!()
    leave[2]!()
    await ask('second')
    expect(asked).toEqual(['two'])
    expect(Object.keys(slots[0]!.getRunner().getSnapshot().inputRequests)).toEqual(['second'])
  })
})
