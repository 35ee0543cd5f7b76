import { callOut } from './call-out.ts'
import type { Settings } from './options.ts'
import type { TaskReference } from './reference.ts'
import { StoredReference } from './stored-reference.ts'
import type { TaskActor } from './waits.ts'

interface Run {
  readonly settings: Settings
  readonly actor: TaskActor
  /** What to keep of the run as it is; `null` when there is nothing to go on with. */
  reference(): TaskReference | null
  check(value: unknown): asserts value is TaskReference
}

/** Keeps the reference of a runner's run in the storage of its options, and finds what an earlier page kept there. */
export function keepReference({ settings, actor, reference, check }: Run) {
  const { storage, storageKey = `mcp-task-machine:${settings.tool}`, autoResume = true, onOrphan } = settings
  if (!storage) return undefined
  const stored = new StoredReference({ storage, key: storageKey, check })
  const page = globalThis as Partial<Pick<Window, 'addEventListener' | 'removeEventListener'>>
  let hasLooked = false
  let isHeard = false

  const isUntouched = () => actor.getSnapshot().context.epoch === 0
  /** When the next read is due is told by no event: it is written when the page goes. */
  const leave = () => stored.save(reference(), true)
  const hear = (wanted: boolean) => {
    if (wanted === isHeard) return
    isHeard = wanted
    if (wanted) page.addEventListener?.('pagehide', leave)
    else page.removeEventListener?.('pagehide', leave)
  }

  const use = (found: TaskReference | null, resumes: boolean) => {
    if (!found || actor.getSnapshot().status !== 'active') return
    if (resumes && isUntouched()) return actor.send({ type: 'resume', reference: found, isPaced: true })
    // Another run has begun: whoever made this one should know that it goes on.
    if (found.taskId !== reference()?.taskId) callOut(onOrphan, found)
  }
  const look = (resumes: boolean): void | Promise<void> => {
    if (hasLooked || !isUntouched()) return undefined
    hasLooked = true
    const found = stored.find()
    return found instanceof Promise ? found.then((later) => use(later, resumes)) : use(found, resumes)
  }

  return {
    /** Somebody looks at the runner. */
    watched: () => void (autoResume && look(true)),
    /** A run is about to begin, over whatever is stored. */
    begins: () => void look(false),
    /** Goes on with what is stored, if something is. */
    resume: () => look(true),
    /** Writes down how the run stands, if that has changed. */
    save() {
      if (isUntouched()) return
      const current = reference()
      // A run that everybody has left is written down for the last time, and the page holds it no longer.
      const isLeft = actor.getSnapshot().context.resting.includes('unmounted')
      stored.save(current, isLeft && isHeard)
      hear(current !== null && !isLeft)
    },
    stop: () => hear(false),
  }
}
