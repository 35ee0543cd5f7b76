import type { TaskConnection } from '../connection.ts'
import type { JsonObject } from '../task.ts'
import { isObject } from '../wire/json.ts'

/** Pages of a list. */
const MOST = 1000

/** Whether views may call a tool: one whose `_meta.ui.visibility` lacks `app` is the model's alone (APP-1). */
export function isForViews(tool: unknown): boolean {
  const meta = isObject(tool) ? tool['_meta'] : undefined
  const ui = isObject(meta) ? meta['ui'] : undefined
  const visibility = isObject(ui) ? ui['visibility'] : undefined
  return !Array.isArray(visibility) || visibility.includes('app')
}

/** Knows the tools that views may not call, from one `tools/list` at a time and until the list changes. */
export function createHiddenTools(upstream: TaskConnection) {
  let list: Promise<ReadonlySet<unknown>> | undefined
  return {
    stop: upstream.onNotification('notifications/tools/list_changed', () => void (list = undefined)),
    /** Rejects if that cannot be known now. */
    async has(tool: unknown): Promise<boolean> {
      const current = (list ??= read(upstream))
      try {
        return (await current).has(tool)
      } catch (error) {
        if (list === current) list = undefined
        throw error
      }
    },
  }
}

async function read(upstream: TaskConnection): Promise<ReadonlySet<unknown>> {
  const hidden = new Set<unknown>()
  const cursors = new Set<unknown>()
  let cursor: unknown
  do {
    cursors.add(cursor)
    const page = await upstream.request('tools/list', cursor === undefined ? {} : { cursor }).catch(withoutList)
    for (const tool of [page['tools']].flat()) if (!isForViews(tool)) hidden.add((tool as JsonObject)['name'])
    cursor = page['nextCursor']
    // A server that hands out a cursor again, or one more each time, would be listed for ever.
  } while (cursor !== undefined && !cursors.has(cursor) && cursors.size < MOST)
  return hidden
}

/** A server that lists no tools hides none. */
function withoutList(error: { code?: unknown }): JsonObject {
  if (error.code === -32601) return {}
  throw error
}
