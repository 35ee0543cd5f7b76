import type {
  DataChange,
  JsonObject,
  TaskConnection,
  TaskGroupVerbs,
  TaskGroupView,
  TaskRunner,
  TaskVerbs,
  TaskView,
  UseTaskGroupOptions,
  UseTaskOptions,
} from '@mcp-task-machine/core'

/** A component that calls `useTask` and shows {@link words} of it. */
export interface TaskPart {
  readonly id: string
  readonly tool: string
  readonly options?: UseTaskOptions | undefined
  /** Called with the task as early as components of the framework do something with one: in an effect, or while being set up. */
  readonly early?: ((task: TaskVerbs<JsonObject, unknown>) => void) | undefined
}

/** A component that calls `useTaskView` and shows what it gives. */
export interface ViewPart {
  readonly id: string
  readonly runner: TaskRunner
  readonly selector: (view: TaskView) => unknown
  /** Called after the first render, or before it, and before the runner is followed. */
  readonly early?: (() => void) | undefined
}

/** A component that calls `useDataSync`. */
export interface SyncPart {
  readonly id: string
  readonly listener: (change: DataChange) => void
}

/** A component that calls `useTaskGroup` and shows {@link groupWords} of it. */
export interface GroupPart {
  readonly id: string
  readonly group: UseTaskGroupOptions
}

export type Part = TaskPart | ViewPart | SyncPart | GroupPart

/** A provider with components below it, each known by its id. */
export interface Page {
  /** Without one, there is no provider. */
  readonly connection?: TaskConnection | undefined
  readonly parts: readonly Part[]
}

/** What `useTask` gave to a component at its last render. */
export interface Given extends TaskVerbs<JsonObject, unknown> {
  readonly runner: TaskRunner
  /** The view that it shows. */
  readonly view: TaskView
  /** What the adapter itself gave. */
  readonly itself: object
}

/** What `useTaskGroup` gave to a component at its last render. */
export interface GivenGroup extends TaskGroupVerbs {
  /** What it shows of the group. */
  readonly view: TaskGroupView
  /** What the adapter itself gave. */
  readonly itself: object
}

export interface Mounted {
  task(id: string): Given
  group(id: string): GivenGroup
  /** What stands on the page for a component; `null` if it is not there. */
  text(id: string): string | null
  /** How often a component was rendered. */
  renders(id: string): number
  /** Renders the page again, with other parts or properties. Components stay who they are by their ids. */
  update(page: Page): Promise<void>
  unmount(): Promise<void>
}

/** The few things that differ from framework to framework. */
export interface Driver {
  /** Rejects with what a component threw. */
  mount(page: Page): Promise<Mounted>
  /** Lets something happen and the framework render what comes of it. */
  act(happen: () => unknown): Promise<void>
}

/** What a task's component shows. */
export function words({ phase, progress, error }: TaskView): string {
  return [phase, progress?.percent ?? '', error?.kind ?? ''].join(' ').trim()
}

/** What a group's component shows. */
export function groupWords({ views, percent }: TaskGroupView): string {
  return [...views.map(({ phase }) => phase), percent ?? ''].join(' ').trim() || 'empty'
}
