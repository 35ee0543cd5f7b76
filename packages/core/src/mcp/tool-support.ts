import type { TaskConnection } from '../connection.ts'
import type { Link } from './link.ts'

type Support = Awaited<ReturnType<TaskConnection['taskSupport']>>
export type ToolList = Promise<ReadonlyMap<unknown, Support>>

interface Tool {
  readonly name?: unknown
  readonly execution?: { readonly taskSupport?: unknown }
}

/** What a tool says about tasks, from one `tools/list` at a time and until the list changes (AUG-NEG-5). */
export async function taskSupport(link: Link, request: TaskConnection['request'], tool: string): Promise<Support> {
  link.tap()
  const list = (link.tools ??= readTools(request))
  try {
    return (await list).get(tool) ?? 'forbidden'
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
  const found = new Map<unknown, Support>()
  const cursors = new Set<unknown>()
  let cursor: unknown
  do {
    cursors.add(cursor)
    const page = await request('tools/list', cursor === undefined ? {} : { cursor }, { timeout: PATIENCE })
    for (const tool of [page.tools].flat() as (Tool | null | undefined)[]) {
      const support = tool?.execution?.taskSupport
      if (support === 'required' || support === 'optional') found.set(tool?.name, support)
    }
    cursor = page.nextCursor
    // A server that hands out a cursor again, or one more each time, would be listed for ever.
  } while (cursor !== undefined && !cursors.has(cursor) && cursors.size < MOST)
  return found
}
