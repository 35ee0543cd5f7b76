import { createTaskRunner, type DataChange, type TaskView } from '@mcp-task-machine/core'
import { describe, expect, test, vi } from 'vitest'
import { handle, snapshot } from '../../../packages/core/test/support/fake-connection.ts'
import type { Driver, Page } from '../driver.ts'
import { createServer, nothing, one, tool, passing, withFakeTime } from './support.ts'

/** Following a runner, and the server’s data. */
export function describeFollowing(name: string, driver: Driver): void {
  const { mount, act } = driver
  const later = passing(driver)

  describe(`${name}: following a runner, and the data`, () => {
    withFakeTime()

    test('a selector narrows what a component renders for', async () => {
      const connection = createServer()
      const page = await mount(one(connection))
      const { runner } = page.task('a')
      const selector = (view: TaskView) => view.task?.statusMessage ?? 'nothing'
      await page.update({ connection, parts: [...one(connection).parts, { id: 'v', runner, selector }] })
      const before = page.renders('v')
      await act(() => runner.fire())
      expect([page.text('v'), page.renders('v')]).toEqual(['nothing', before])
      connection.on('tasks/get', () => snapshot('working', { statusMessage: 'Reading.' }))
      await later(1000)
      expect([page.text('v'), page.renders('v')]).toEqual(['Reading.', before + 1])
      await page.unmount()
    })

    test('what happens before a runner is followed is seen', async () => {
      const connection = createServer()
      const runner = createTaskRunner({ connection, tool })
      const part = { id: 'v', runner, selector: ({ phase }: TaskView) => phase, early: () => runner.adopt(handle()) }
      const page = await mount({ connection, parts: [part] })
      expect(page.text('v')).toBe('working')
      await page.unmount()
    })

    test('a selector may make an object each time', async () => {
      const connection = createServer()
      const page = await mount(one(connection))
      const { runner } = page.task('a')
      const selector = ({ phase }: TaskView) => ({ toString: () => `is ${phase}` })
      await page.update({ connection, parts: [{ id: 'v', runner, selector }] })
      await act(() => runner.fire())
      expect(page.text('v')).toBe('is working')
      await page.unmount()
    })

    test('data that changed is told once per notification, to the listener of the last render, while it is there', async () => {
      const connection = createServer()
      const heard: [string, DataChange][] = []
      const sync = (version: string): Page => ({
        connection,
        parts: [{ id: 's', listener: (change) => heard.push([version, change]) }],
      })
      const list = 'notifications/resources/list_changed'
      const updated = 'notifications/resources/updated'
      const page = await mount(sync('one'))
      await act(() => connection.push(list, {}))
      await page.update(sync('two'))
      await act(() => connection.push(updated, { uri: 'report://7' }))
      await page.update(nothing(connection))
      await act(() => connection.push(list, {}))
      expect(heard).toEqual([
        ['one', { method: list, uri: null }],
        ['two', { method: updated, uri: 'report://7' }],
      ])
      expect(connection.listeners).toBe(0)
      await page.unmount()
    })

    test('data is followed on the connection of the moment', async () => {
      const [old, next] = [createServer(), createServer()]
      const listener = vi.fn()
      const page = await mount({ connection: old, parts: [{ id: 's', listener }] })
      await page.update({ connection: next, parts: [{ id: 's', listener }] })
      await act(() => old.push('notifications/resources/list_changed', {}))
      await act(() => next.push('notifications/resources/list_changed', {}))
      expect(listener).toHaveBeenCalledTimes(1)
      expect(old.listeners).toBe(0)
      await page.unmount()
    })
  })
}
