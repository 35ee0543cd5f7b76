import type { TaskView } from '@mcp-task-machine/core'
import {
  provideTasks,
  useDataSync,
  useTask,
  useTaskGroup,
  useTaskView,
  type Task,
  type TaskGroup,
} from '@mcp-task-machine/vue'
import {
  createApp,
  defineComponent,
  effectScope,
  h,
  nextTick,
  onMounted,
  onUpdated,
  shallowRef,
  watchEffect,
  type App,
  type EffectScope,
  type ShallowRef,
} from 'vue'
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

// Vue's first app waits a while for its developer tools: not on the tests' time.
createApp({})

const act: Driver['act'] = async (happen) => {
  await happen()
  await nextTick()
}

const given = (task: Task): Given => ({
  ...task,
  get view(): TaskView {
    return task.view.value
  },
  get runner() {
    return task.runner.value
  },
  itself: task,
})

const givenGroup = (group: TaskGroup): GivenGroup => ({
  ...group,
  get view() {
    return group.view.value
  },
  itself: group,
})

/** Mounts pages with components. */
export const componentDriver: Driver = {
  act,
  async mount(first) {
    const container = document.body.appendChild(document.createElement('div'))
    const tasks = new Map<string, Given>()
    const groups = new Map<string, GivenGroup>()
    const counts = new Map<string, number>()
    const count = (id: string) => counts.set(id, (counts.get(id) ?? 0) + 1)
    const page = shallowRef(first)
    const thrown: unknown[] = []

    const counting = ({ id }: Part) => {
      count(id)
      onUpdated(() => void count(id))
    }
    const TaskProbe = defineComponent<{ part: TaskPart }>(
      (props) => {
        const task = useTask(
          () => props.part.tool,
          () => props.part.options ?? {},
        )
        props.part.early?.(task)
        tasks.set(props.part.id, given(task))
        counting(props.part)
        return () => h('p', { id: props.part.id }, words(task.view.value))
      },
      { props: ['part'] },
    )
    const ViewProbe = defineComponent<{ part: ViewPart }>(
      ({ part }) => {
        onMounted(() => part.early?.())
        const selected = useTaskView(part.runner, part.selector)
        counting(part)
        return () => h('p', { id: part.id }, String(selected.value))
      },
      { props: ['part'] },
    )
    const SyncProbe = defineComponent<{ part: SyncPart }>(
      (props) => {
        useDataSync((change) => props.part.listener(change))
        return () => h('p', { id: props.part.id })
      },
      { props: ['part'] },
    )
    const GroupProbe = defineComponent<{ part: GroupPart }>(
      (props) => {
        const group = useTaskGroup(() => props.part.group)
        groups.set(props.part.id, givenGroup(group))
        counting(props.part)
        return () => h('p', { id: props.part.id }, groupWords(group.view.value))
      },
      { props: ['part'] },
    )
    const kindOf = (part: Part) => {
      if ('group' in part) return GroupProbe
      return 'tool' in part ? TaskProbe : 'runner' in part ? ViewProbe : SyncProbe
    }
    const probe = (part: Part) => h(kindOf(part), { key: part.id, part } as never)
    const root = defineComponent(() => {
      if (first.connection) provideTasks({ connection: () => page.value.connection! })
      return () => page.value.parts.map(probe)
    })
    const app: App = createApp(root)
    app.config.errorHandler = (error) => void thrown.push(error)
    const settled = async () => {
      await nextTick()
      if (thrown.length > 0) throw thrown[0]
    }
    app.mount(container)
    await settled()
    return {
      task: (id) => tasks.get(id)!,
      group: (id) => groups.get(id)!,
      text: (id) => container.querySelector(`#${id}`)?.textContent ?? null,
      renders: (id) => counts.get(id) ?? 0,
      update(next) {
        page.value = next
        return settled()
      },
      async unmount() {
        app.unmount()
        container.remove()
        await nextTick()
      },
    }
  },
}

interface Scope {
  readonly scope: EffectScope
  readonly part: ShallowRef<Part>
  text: string
  renders: number
}

/** Mounts pages without components: each part is an effect scope that is given the connection. */
export const scopeDriver: Driver = {
  act,
  async mount(first) {
    const tasks = new Map<string, Given>()
    const groups = new Map<string, GivenGroup>()
    const scopes = new Map<string, Scope>()
    const connection = shallowRef(first.connection)
    const thrown: unknown[] = []

    const open = (initial: Part) => {
      const part = shallowRef(initial)
      const opened: Scope = { scope: effectScope(true), part, text: '', renders: 0 }
      const show = (text: () => string) =>
        watchEffect(() => {
          try {
            opened.text = text()
            opened.renders++
          } catch (error) {
            thrown.push(error)
          }
        })
      const withConnection = (options: object = {}) => ({
        ...(connection.value && { connection: connection.value }),
        ...options,
      })
      opened.scope.run(() => {
        if ('group' in initial) {
          const group = useTaskGroup(() => withConnection((part.value as GroupPart).group))
          groups.set(initial.id, givenGroup(group))
          show(() => groupWords(group.view.value))
        } else if ('tool' in initial) {
          const task = useTask(
            () => (part.value as TaskPart).tool,
            () => withConnection((part.value as TaskPart).options),
          )
          initial.early?.(task)
          tasks.set(initial.id, given(task))
          show(() => words(task.view.value))
        } else if ('runner' in initial) {
          const selected = useTaskView(initial.runner, initial.selector)
          initial.early?.()
          show(() => String(selected.value))
        } else
          useDataSync(
            (change) => (part.value as SyncPart).listener(change),
            () => withConnection(),
          )
      })
      scopes.set(initial.id, opened)
    }
    const update = async (next: Page) => {
      connection.value = next.connection
      for (const part of next.parts) {
        const known = scopes.get(part.id)
        if (known) known.part.value = part
        else open(part)
      }
      for (const [id, { scope }] of scopes)
        if (!next.parts.some((part) => part.id === id)) {
          scope.stop()
          scopes.delete(id)
        }
      await nextTick()
      if (thrown.length > 0) throw thrown[0]
    }
    await update(first)
    return {
      task: (id) => tasks.get(id)!,
      group: (id) => groups.get(id)!,
      text: (id) => scopes.get(id)?.text ?? null,
      renders: (id) => scopes.get(id)?.renders ?? 0,
      update,
      async unmount() {
        for (const { scope } of scopes.values()) scope.stop()
        await nextTick()
      },
    }
  },
}
