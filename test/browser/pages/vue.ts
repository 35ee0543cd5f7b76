import { provideTasks, useTask } from '@mcp-task-machine/vue'
import { createApp, defineComponent, h } from 'vue'
import { buttons, connect, options, print, tool } from './surface.ts'

const Run = defineComponent(() => {
  const task = useTask(tool, options)
  const pressed = buttons(task, () => task.view.value)
  return () => [
    h('output', print(task.view.value)),
    ...pressed.map(([name, press]) => h('button', { type: 'button', onClick: press }, name)),
  ]
})

const connection = await connect()
const Page = defineComponent(() => {
  provideTasks({ connection })
  return () => h(Run)
})
createApp(Page).mount('#page')
