import {
  createVerbs,
  idleView,
  TaskSlot,
  type JsonObject,
  type TaskRunner,
  type TaskVerbs,
  type TaskView,
  type UseTaskOptions,
} from '@mcp-task-machine/core'
import {
  computed,
  getCurrentInstance,
  onActivated,
  onDeactivated,
  shallowRef,
  toValue,
  triggerRef,
  watchPostEffect,
  type ComputedRef,
  type MaybeRefOrGetter,
  type ShallowRef,
} from 'vue'
import { useTaskContext } from './task-context.ts'
import { whenMounted } from './when-mounted.ts'

type ViewRefs<Output> = { readonly [Field in keyof TaskView<Output>]: ComputedRef<TaskView<Output>[Field]> }

/** What `useTask` gives: the view, each of its fields as a ref of its own, and the runner's verbs. */
export interface Task<Input = JsonObject, Output = unknown> extends ViewRefs<Output>, TaskVerbs<Input, Output> {
  readonly view: Readonly<ShallowRef<TaskView<Output>>>
  /** The runner behind it: for `useTaskView`, `result()` and `reference`. */
  readonly runner: ComputedRef<TaskRunner<Input, Output>>
}

/**
 * A tool call for the life of the component or effect scope, or shared by `key`. Setting it up sends nothing; `fire` does. Tool and options may
 * be refs or getters; verbs and refs stay the same whatever they become.
 *
 * @example
 * const { fire, phase, result, cancel } = useTask<{ query: string }, Report>('start_research')
 * @throws TypeError without a connection, or if the key is in use for another tool
 */
export function useTask<Input = JsonObject, Output = unknown>(
  tool: MaybeRefOrGetter<string>,
  options: MaybeRefOrGetter<UseTaskOptions<Output>> = {},
): Task<Input, Output> {
  const { connection, inspect } = useTaskContext('useTask', () => toValue(options).connection)
  // Held outside: on a server, a computed ref is computed each time.
  let held: TaskSlot<Input, Output> | undefined
  const slot = computed(() => {
    const [name, settings] = [toValue(tool), toValue(options)]
    if (!held?.fits(connection.value, name, settings.key))
      held = new TaskSlot<Input, Output>(connection.value, name, inspect ? { inspect, ...settings } : settings)
    return held
  })
  const changed = shallowRef()
  const update = () => triggerRef(changed)
  const runner = computed(() => (void changed.value, slot.value.getRunner()))

  const instance = getCurrentInstance()
  // A vnode that has its element before it is mounted is being hydrated: that begins with what the server rendered.
  const isHydrating = shallowRef(Boolean(instance?.vnode.el))
  const isPutAway = shallowRef(false)
  if (instance) {
    onActivated(() => (isPutAway.value = false))
    onDeactivated(() => (isPutAway.value = toValue(options).onUnmount !== 'cancel'))
  }
  const view = computed(
    () => (void changed.value, isHydrating.value ? slot.value.getInitialView() : runner.value.getSnapshot()),
  )

  whenMounted(() => {
    isHydrating.value = false
    watchPostEffect(() => {
      slot.value.options = toValue(options)
      slot.value.connect(connection.value)
    })
    // What <KeepAlive> has put away is not looked at.
    watchPostEffect((onCleanup) => onCleanup(isPutAway.value ? slot.value.enter(update) : slot.value.watch(update)))
  })

  const fields = Object.keys(idleView).map((name) => [name, computed(() => view.value[name as keyof TaskView])])
  const refs = Object.fromEntries(fields) as ViewRefs<Output>
  return { ...refs, ...createVerbs(() => runner.value), view, runner }
}
