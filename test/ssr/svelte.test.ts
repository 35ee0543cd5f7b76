import type { Task } from '@mcp-task-machine/svelte'
import { render } from 'svelte/server'
import { describeServerRendering } from './contract.ts'
import Panel from './svelte/Panel.svelte'

describeServerRendering('Svelte', async ({ connection, tool, options = {} }) => {
  let task!: Task
  const onTask = (given: Task) => (task = given)
  const { body } = render(Panel, { props: { connection, tool, options, onTask } })
  return { html: body, task }
})
