import { useDataSync, useTask, useTaskGroup, useTaskView, type Task, type TaskGroup } from '@mcp-task-machine/svelte'
import { flushSync, mount, unmount } from 'svelte'
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
} from './driver.ts'
import PageOfParts from './svelte/Page.svelte'

const act: Driver['act'] = async (happen) => {
  await happen()
  flushSync()
}

const given = (task: Task): Given => {
  const { fire, cancel, respond, retry, resume, adopt, refresh, detach, reset } = task
  return {
    ...{ fire, cancel, respond, retry, resume, adopt, refresh, detach, reset },
    get view() {
      return task.current
    },
    get runner() {
      return task.runner
    },
    itself: task,
  }
}

const givenGroup = (group: TaskGroup): GivenGroup => {
  const { fire, settled, cancelAll } = group
  return {
    ...{ fire, settled, cancelAll },
    get view() {
      return group.current
    },
    itself: group,
  }
}

/** Mounts pages with components. */
export const componentDriver: Driver = {
  act,
  async mount(first) {
    const target = document.body.appendChild(document.createElement('div'))
    const tasks = new Map<string, Given>()
    const groups = new Map<string, GivenGroup>()
    const counts = new Map<string, number>()
    let page = $state.raw(first)
    const component = mount(PageOfParts, {
      target,
      props: {
        get page() {
          return page
        },
        watchers: {
          onTask: (id: string, task: Task) => tasks.set(id, given(task)),
          onGroup: (id: string, group: TaskGroup) => groups.set(id, givenGroup(group)),
          onRender: (id: string) => counts.set(id, (counts.get(id) ?? 0) + 1),
        },
      },
    })
    flushSync()
    return {
      task: (id) => tasks.get(id)!,
      group: (id) => groups.get(id)!,
      text: (id) => target.querySelector(`#${id}`)?.textContent ?? null,
      renders: (id) => counts.get(id) ?? 0,
      async update(next) {
        page = next
        flushSync()
      },
      async unmount() {
        await unmount(component)
        target.remove()
      },
    }
  },
}

interface Root {
  part: Part
  text: string
  renders: number
  stop(): void
}

/** Mounts pages without components: each part is an effect root that is given the connection. */
export const rootDriver: Driver = {
  act,
  async mount(first) {
    const tasks = new Map<string, Given>()
    const groups = new Map<string, GivenGroup>()
    const roots = new Map<string, Root>()
    let page = $state.raw(first)

    const open = (opened: Part) => {
      let part = $state.raw(opened)
      const root: Root = {
        text: '',
        renders: 0,
        stop: () => {},
        get part() {
          return part
        },
        set part(next) {
          part = next
        },
      }
      const withConnection = (options: object = {}) => ({
        ...(page.connection && { connection: page.connection }),
        ...options,
      })
      const show = (text: () => string) => {
        $effect.pre(() => {
          root.text = text()
          root.renders++
        })
      }
      root.stop = $effect.root(() => {
        if ('group' in opened) {
          const group = useTaskGroup(() => withConnection((part as GroupPart).group))
          groups.set(opened.id, givenGroup(group))
          show(() => groupWords(group))
        } else if ('tool' in opened) {
          const task = useTask(
            () => (part as TaskPart).tool,
            () => withConnection((part as TaskPart).options),
          )
          tasks.set(opened.id, given(task))
          opened.early?.(task)
          show(() => words(task))
        } else if ('runner' in opened) {
          const selected = useTaskView(opened.runner, opened.selector)
          opened.early?.()
          show(() => String(selected.current))
        } else
          useDataSync(
            (change) => (part as SyncPart).listener(change),
            () => withConnection(),
          )
      })
      roots.set(opened.id, root)
    }
    const update = async (next: Page) => {
      page = next
      for (const part of next.parts) {
        const known = roots.get(part.id)
        if (known) known.part = part
        else open(part)
      }
      for (const [id, { stop }] of roots)
        if (!next.parts.some((part) => part.id === id)) {
          stop()
          roots.delete(id)
        }
      flushSync()
    }
    await update(first)
    return {
      task: (id) => tasks.get(id)!,
      group: (id) => groups.get(id)!,
      text: (id) => roots.get(id)?.text ?? null,
      renders: (id) => roots.get(id)?.renders ?? 0,
      update,
      async unmount() {
        for (const { stop } of roots.values()) stop()
        flushSync()
      },
    }
  },
}
