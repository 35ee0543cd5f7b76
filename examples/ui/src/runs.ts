import type { JsonObject, TaskReference, TaskView } from '@mcp-task-machine/core'
import { addToHistory, happened, type HistoryEntry } from './history.ts'
import { jobs } from './jobs.ts'

/** One run on the page: what it does, where its task is found again, and what happened. */
export interface Run {
  readonly id: string
  readonly tool: string
  readonly args: JsonObject | null
  readonly reference: TaskReference | null
  readonly history: readonly HistoryEntry[]
  /** How often it was started over: each time with a runner of its own. */
  readonly starts: number
}

/** The runs of a page, for any framework to follow. */
export interface Runs {
  getSnapshot(): readonly Run[]
  subscribe(listener: () => void): () => void
  add(): void
  remove(id: string): void
  change(id: string, change: Partial<Omit<Run, 'id' | 'history'>>): void
  /** Begins the history anew: the run is about to be sent. */
  begin(id: string, args: JsonObject): void
  /** Puts the task away; the form is shown again, with what was sent. */
  startOver(id: string): void
  /** Writes down what a view shows that the last one did not. The same view twice changes nothing. */
  record(id: string, view: TaskView, reference: TaskReference | null): void
  /** Where the run's task is, when this page shows another one or none: after a reload, or once another page has begun the run anew. */
  elsewhere(id: string, view: TaskView): TaskReference | null
  /** Takes over what another page has written to the same storage. */
  reread(): void
}

/**
 * @param key where `storage` has them: a reference leads back only to the server and the protocol it came from
 * @param storage keeps the runs over a reload, references included: whoever has a reference may read its task
 * @param now ms since the Unix epoch
 */
export function createRuns(
  storage: Pick<Storage, 'getItem' | 'setItem'>,
  key: string,
  now: () => number = Date.now,
): Runs {
  const listeners = new Set<() => void>()
  const seen = new Map<string, TaskView>()
  /** The ids of the tasks that this page has shown, by run. */
  const shown = new Map<string, Set<string>>()
  const blank = (): Run => ({
    id: crypto.randomUUID(),
    tool: jobs[0].tool,
    args: null,
    reference: null,
    history: [],
    starts: 0,
  })
  let written: string | null = null
  let runs = read() ?? []
  if (runs.length === 0) set([blank()])

  function read(): readonly Run[] | null {
    try {
      const kept: unknown = JSON.parse(storage.getItem(key) ?? 'null')
      return Array.isArray(kept) ? kept : null
    } catch {
      return null
    }
  }
  /** The runs with what another page has written meanwhile; what happened, each page has seen for itself. */
  function latest(): readonly Run[] {
    const kept = storage.getItem(key) === written ? null : read()
    if (!kept) return runs
    return kept.map((run) => {
      const own = runs.find(({ id, starts }) => id === run.id && starts === run.starts)
      // A call that the other page waits for is only its own; once it is a task, any page can follow it.
      const reference = run.reference?.taskId ? run.reference : (own?.reference ?? null)
      return { ...run, reference, history: own?.history ?? [] }
    })
  }
  function show(next: readonly Run[]): void {
    runs = next
    for (const listener of listeners) listener()
  }
  function set(next: readonly Run[]): void {
    written = JSON.stringify(next)
    storage.setItem(key, written)
    show(next)
  }
  const change = (id: string, how: (run: Run) => Run) => set(latest().map((run) => (run.id === id ? how(run) : run)))

  return {
    getSnapshot: () => runs,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    add: () => set([blank(), ...latest()]),
    remove(id) {
      seen.delete(id)
      set(latest().filter((run) => run.id !== id))
    },
    change: (id, over) => change(id, (run) => ({ ...run, ...over })),
    begin(id, args) {
      seen.delete(id)
      change(id, (run) => ({ ...run, args, reference: null, history: [] }))
    },
    startOver(id) {
      seen.delete(id)
      change(id, (run) => ({ ...run, reference: null, history: [], starts: run.starts + 1 }))
    },
    record(id, view, reference) {
      const before = seen.get(id) ?? null
      if (before === view) return
      seen.set(id, view)
      const known = shown.get(id) ?? new Set<string>()
      shown.set(id, known)
      const taskId = reference?.taskId ?? view.task?.taskId
      // What this page only goes on with may be behind: another page's reference to a newer task stays.
      const isNews = !taskId || !known.has(taskId)
      if (taskId) known.add(taskId)
      change(id, (run) => ({
        ...run,
        // A run that has ended has no reference any more; the last one still finds its result after a reload.
        reference:
          reference && (isNews || !run.reference || run.reference.taskId === taskId) ? reference : run.reference,
        history: addToHistory(run.history, happened(before, view), now()),
      }))
    },
    elsewhere(id, view) {
      const reference = runs.find((run) => run.id === id)?.reference
      if (!reference || view.isIdle) return reference ?? null
      if (view.isWorking || !reference.taskId || shown.get(id)?.has(reference.taskId)) return null
      return reference
    },
    reread: () => show(latest()),
  }
}
