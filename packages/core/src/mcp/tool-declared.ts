import type { TaskConnection } from '../connection.ts'
import type { JsonObject } from '../task.ts'
import { isObject } from '../wire/json.ts'
import type { Link } from './link.ts'

type Support = Awaited<ReturnType<TaskConnection['taskSupport']>>
interface Declared {
  /** About tasks (AUG-NEG-5). */
  readonly support: Support
  readonly meta: JsonObject | undefined
}
export type ToolList = Promise<ReadonlyMap<unknown, Declared>>

interface Tool {
  readonly name?: unknown
  readonly execution?: { readonly taskSupport?: unknown }
  readonly _meta?: unknown
}

/** What a tool declares, from one `tools/list` at a time and until the list changes; `undefined` where it is not listed. */
export async function declared(
  link: Link,
  request: TaskConnection['request'],
  tool: string,
): Promise<Declared | undefined> {
  link.tap()
  const list = (link.tools ??= readTools(request))
  try {
    return (await list).get(tool)
  } catch (error) {
    if (link.tools === list) link.tools = undefined
    throw error
  }
}

/** ms; a call that has failed does not wait for ever to be explained. */
const PATIENCE = 30_000
/** Pages of a list. */
const MOST = 1000

async function readTools(request: TaskConnection['request']) {
  const found = new Map<unknown, Declared>()
  const cursors = new Set<unknown>()
  let cursor: unknown
  do {
    cursors.add(cursor)
    const page = await request('tools/list', cursor === undefined ? {} : { cursor }, { timeout: PATIENCE })
    for (const tool of [page.tools].flat() as (Tool | null | undefined)[]) {
      const support = tool?.execution?.taskSupport
      const meta = isObject(tool?._meta) ? tool._meta : undefined
      const isWilling = support === 'required' || support === 'optional'
      if (isWilling || meta) found.set(tool?.name, { support: isWilling ? support : 'forbidden', meta })
    }
    cursor = page.nextCursor
    // A server that hands out a cursor again, or one more each time, would be listed for ever.
  } while (cursor !== undefined && !cursors.has(cursor) && cursors.size < MOST)
  return found
}
