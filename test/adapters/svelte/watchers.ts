import type { Task, TaskGroup } from '@mcp-task-machine/svelte'

/** Who is told what the components of a page do. */
export interface Watchers {
  readonly onTask: (id: string, task: Task) => void
  readonly onGroup: (id: string, group: TaskGroup) => void
  readonly onRender: (id: string) => void
}
