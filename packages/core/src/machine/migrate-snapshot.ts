import type { Snapshot } from 'xstate'
import { expected } from '../options.ts'
import { isObject } from '../wire/json.ts'
import { initialContext, snapshotVersion } from './context.ts'

/**
 * Makes a snapshot that `actor.getPersistedSnapshot()` gave, maybe in an earlier release and in another process, fit for
 * `createActor(createTaskMachine(options), { snapshot })`. What the earlier release did not remember begins as in a new run.
 *
 * @param persisted the snapshot, as `JSON.parse` gave it back; it is not changed
 * @throws TypeError if this is no snapshot of this chart, or one of a later release
 */
export function migrateSnapshot(persisted: unknown): Snapshot<unknown> {
  const { status, value, context } = isObject(persisted) ? persisted : {}
  const isSnapshot = status === 'active' && (typeof value === 'string' || isObject(value)) && isObject(context)
  expected(isSnapshot, 'a snapshot of the chart, as `actor.getPersistedSnapshot()` gave it')
  // Before there were versions, the shape was that of the first one.
  const { version = 1 } = context
  const isKnown = Number.isInteger(version) && (version as number) >= 1 && (version as number) <= snapshotVersion
  expected(isKnown, `a snapshot of version ${snapshotVersion} or earlier`)
  return {
    ...(persisted as object),
    context: { ...initialContext, ...context, version: snapshotVersion },
  } as unknown as Snapshot<unknown>
}
