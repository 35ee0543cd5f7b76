import type { TaskView } from '@mcp-task-machine/core'
import { TaskProvider, useDataSync, useTask, useTaskGroup, useTaskView } from '@mcp-task-machine/react'
import { act, Component, useEffect, type ComponentType, type ReactNode } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import {
  groupWords,
  words,
  type Driver,
  type Given,
  type GivenGroup,
  type GroupPart,
  type Page,
  type Part,
  type SyncPart,
  type TaskPart,
  type ViewPart,
} from './driver.ts'

;(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true

/** Keeps what a component below it threw. (React 18's `act` does not survive an error that nobody catches.) */
export class Boundary extends Component<{ children: ReactNode }, { readonly thrown?: { readonly error: unknown } }> {
  static thrown: { readonly error: unknown } | undefined
  override state: { readonly thrown?: { readonly error: unknown } } = {}

  static getDerivedStateFromError(error: unknown) {
    Boundary.thrown = { error }
    return { thrown: Boundary.thrown }
  }

  override render() {
    return this.state.thrown ? null : this.props.children
  }
}

/** Renders, and rejects with what a component threw. */
export async function renderInto(root: Root, tree: ReactNode): Promise<void> {
  await act(async () => root.render(<Boundary>{tree}</Boundary>))
  const { thrown } = Boundary
  Boundary.thrown = undefined
  if (thrown) throw thrown.error
}

/** Mounts pages with React, inside `Mode` (a Fragment or StrictMode). */
export function reactDriver(Mode: ComponentType<{ children: ReactNode }>): Driver {
  return {
    act: (happen) => act(async () => void (await happen())),
    async mount(first) {
      const container = document.body.appendChild(document.createElement('div'))
      const root = createRoot(container)
      const given = new Map<string, Given>()
      const groups = new Map<string, GivenGroup>()
      const counts = new Map<string, number>()
      const count = (id: string) => counts.set(id, (counts.get(id) ?? 0) + 1)

      function TaskProbe({ id, tool, options, early }: TaskPart) {
        const task = useTask(tool, options)
        useEffect(() => early?.(task), [])
        useEffect(() => {
          count(id)
          given.set(id, { ...task, view: task as TaskView, itself: task })
        })
        return <p id={id}>{words(task)}</p>
      }
      function ViewProbe({ id, runner, selector, early }: ViewPart) {
        useEffect(() => early?.(), [])
        const selected = useTaskView(runner, selector)
        useEffect(() => void count(id))
        return <p id={id}>{String(selected)}</p>
      }
      function SyncProbe({ id, listener }: SyncPart) {
        useDataSync(listener)
        return <p id={id} />
      }
      function GroupProbe({ id, group: options }: GroupPart) {
        const group = useTaskGroup(options)
        useEffect(() => {
          count(id)
          groups.set(id, { ...group, view: group, itself: group })
        })
        return <p id={id}>{groupWords(group)}</p>
      }
      const probe = (part: Part) => {
        if ('group' in part) return <GroupProbe key={part.id} {...part} />
        if ('tool' in part) return <TaskProbe key={part.id} {...part} />
        return 'runner' in part ? <ViewProbe key={part.id} {...part} /> : <SyncProbe key={part.id} {...part} />
      }
      const render = ({ connection, parts }: Page) => {
        const children = parts.map(probe)
        return renderInto(
          root,
          <Mode>{connection ? <TaskProvider connection={connection}>{children}</TaskProvider> : children}</Mode>,
        )
      }

      await render(first)
      return {
        task: (id) => given.get(id)!,
        group: (id) => groups.get(id)!,
        text: (id) => container.querySelector(`#${id}`)?.textContent ?? null,
        renders: (id) => counts.get(id) ?? 0,
        update: render,
        async unmount() {
          await act(async () => root.unmount())
          container.remove()
        },
      }
    },
  }
}
