import type { TaskEngine } from './engine.ts'
import { isFinished, type Task } from './task.ts'

/** A task as it is now and after each change, until it is finished. Changes that come too fast are passed over. */
export async function* snapshotsOf(engine: TaskEngine, id: string, signal: AbortSignal): AsyncGenerator<Task, void> {
  let changed = true
  let wake = () => {}
  const note = () => {
    changed = true
    wake()
  }
  const unwatch = engine.watch(id, note)
  signal.addEventListener('abort', note)
  try {
    while (!signal.aborted) {
      if (!changed) {
        await new Promise<void>((resolve) => (wake = resolve))
        continue
      }
      changed = false
      const task = await engine.get(id)
      yield task
      if (isFinished(task)) return
    }
  } finally {
    unwatch()
    signal.removeEventListener('abort', note)
  }
}
