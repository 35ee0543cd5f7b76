import type { TaskConnection, UseTaskOptions } from '@mcp-task-machine/core'
import { provideTasks, useDataSync, useTask, useTaskGroup, type Task } from '@mcp-task-machine/vue'
import { expect, test } from 'vitest'
import { createSSRApp, defineComponent, h, onServerPrefetch } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { toolResult } from '../../packages/core/test/support/fake-connection.ts'
import { groupWords, words } from '../adapters/driver.ts'
import { createServer, describeServerRendering } from './contract.ts'

function createPage(connection: TaskConnection, tool: string, options: UseTaskOptions, onTask: (task: Task) => void) {
  const Panel = defineComponent(() => {
    const task = useTask(tool, options)
    const group = useTaskGroup({ maxConcurrent: 2 })
    useDataSync(() => {})
    onTask(task)
    return () => [h('p', { id: 'a' }, words(task.view.value)), h('p', { id: 'g' }, groupWords(group.view.value))]
  })
  return createSSRApp(
    defineComponent(() => {
      provideTasks({ connection })
      return () => h(Panel)
    }),
  )
}

describeServerRendering('Vue', async ({ connection, tool, options = {} }) => {
  let task!: Task
  const html = await renderToString(createPage(connection, tool, options, (given) => (task = given)))
  return { html, task: { fire: task.fire, runner: task.runner.value } }
})

test('what a component waits for on the server is rendered, for this request only', async () => {
  const connection = createServer()
  connection.on('tools/call', () => toolResult('60 tiles'))
  const render = (isAsked: boolean) =>
    renderToString(
      createPage(connection, 'count_tiles', { key: 'count' }, (task) => {
        if (isAsked) onServerPrefetch(async () => void (await task.fire()))
      }),
    )
  expect(await render(true)).toContain('completed')
  expect(await render(false)).toContain('idle')
})
