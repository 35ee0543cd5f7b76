import type { JsonObject, StandardSchema, TaskHandle, TaskRunner, TaskView, ToolResult } from '@mcp-task-machine/core'
import { useTask, useTaskGroup, useTaskView } from '@mcp-task-machine/svelte'
import { expectTypeOf, test } from 'vitest'

interface Report {
  readonly pages: number
}

test('input and output are known by what is given', () => {
  const task = useTask<{ query: string }, Report>('start_research')
  expectTypeOf(task.current).toEqualTypeOf<TaskView<Report>>()
  expectTypeOf(task.result).toEqualTypeOf<ToolResult<Report> | null>()
  expectTypeOf(task.fire({ query: 'tides' })).resolves.toEqualTypeOf<TaskHandle<Report>>()
  expectTypeOf(task.runner).toEqualTypeOf<TaskRunner<{ query: string }, Report>>()
  // @ts-expect-error arguments of another tool
  void task.fire({ question: 'tides' })
})

test('a schema says what comes out, also from a function', () => {
  const output = {} as StandardSchema<Report>
  const task = useTask(
    () => 'start_research',
    () => ({ output }),
  )
  expectTypeOf(task.result).toEqualTypeOf<ToolResult<Report> | null>()
  expectTypeOf(task.fire).parameter(0).toEqualTypeOf<JsonObject | undefined>()
})

test('a selector says what a component sees', () => {
  const { runner } = useTask<{ query: string }, Report>('start_research')
  expectTypeOf(useTaskView(runner).current.result).toEqualTypeOf<ToolResult<Report> | null>()
  expectTypeOf(useTaskView(runner, ({ result }) => result?.data.pages).current).toEqualTypeOf<number | undefined>()
})

test('options that the connection and the tool have are not taken', () => {
  // @ts-expect-error the tool is the first argument
  useTask('start_research', { tool: 'other' })
  // @ts-expect-error no such policy
  useTask('start_research', { onUnmount: 'forget' })
})

test('each member of a group has types of its own', () => {
  const group = useTaskGroup({ maxConcurrent: 2, pollInterval: 500 })
  expectTypeOf(group.views).toEqualTypeOf<readonly TaskView[]>()
  expectTypeOf(group.settled()).resolves.toEqualTypeOf<readonly TaskView[]>()
  expectTypeOf(group.fire<{ city: string }, Report>('book', { city: 'Rome' })).toEqualTypeOf<
    TaskRunner<{ city: string }, Report>
  >()
  // @ts-expect-error arguments of another tool
  group.fire<{ city: string }, Report>('book', { town: 'Rome' })
  // @ts-expect-error each member has a tool of its own
  useTaskGroup({ tool: 'book' })
})
