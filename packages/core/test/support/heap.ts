import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { realTick } from './hostile.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Collects whatever nobody holds any more. */
export async function collectGarbage(): Promise<void> {
  for (let nth = 0; nth < 5; nth++) {
    await realTick()
    collect()
  }
}

/** How many of these are still held by somebody; the engine itself may hold on to one for a while. */
export async function countHeld(held: readonly WeakRef<object>[]): Promise<number> {
  await collectGarbage()
  return held.filter((ref) => ref.deref() !== undefined).length
}

/** Bytes in use once everything that can be collected is. */
export async function heapInUse(): Promise<number> {
  await collectGarbage()
  return process.memoryUsage().heapUsed
}
