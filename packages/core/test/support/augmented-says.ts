import { relatedTo } from './asker.ts'
import { answerTo, body, endpoint, secrets, type Say, type Server } from './says.ts'
import type { WireRequest } from './world.ts'

/** A task without its payload, in the words of 2025-11-25. */
function taskOf({ status, interval, ttl, stamp }: Say, taskId: string) {
  return {
    taskId,
    status,
    ...(ttl !== undefined && { ttl }),
    ...(interval !== undefined && { pollInterval: interval }),
    ...(stamp !== null && { lastUpdatedAt: new Date(1_800_000_000_000 + stamp * 1000).toISOString() }),
  }
}

const wrap = (say: Say, taskId: string) => ({ task: taskOf(say, taskId) })

/** Consents that a call wants first. */
const consents = ({ keys }: Say) => ({
  code: -32042,
  message: 'Consent first',
  data: { elicitations: keys.map((elicitationId) => ({ mode: 'url', elicitationId, url: endpoint, message: 'Link' })) },
})

function answer(request: WireRequest, say: Say): { result: unknown } | { error: unknown } {
  const { kind } = say
  if (kind === 'error' || kind === 'http' || kind === 'network' || kind === 'nonsense') return answerTo(request, say)
  const { method, params } = request
  if (method === 'tools/call') {
    if (kind === 'asks') return { error: consents(say) }
    return { result: kind === 'result' ? body(say) : wrap(say, `${secrets.id}-${request.nth}`) }
  }
  const taskId = kind === 'foreign' ? `${secrets.id}-foreign` : (params['taskId'] as string)
  if (method === 'tasks/result') return { result: { ...(kind !== 'asks' && body(say)), _meta: relatedTo(taskId) } }
  return { result: taskOf(say, taskId) }
}

/** A server of 2025-11-25. */
export const augmentedServer: Server = {
  generation: '2025-11-25',
  answerTo: answer,
  taskOf,
  handleOf: wrap,
  cancelledBy(said) {
    const { task, ...flat } = 'result' in said ? (said.result as { task?: object }) : {}
    const { taskId, status } = { ...flat, ...task } as { taskId?: string; status?: string }
    return status === 'cancelled' ? taskId : undefined
  },
  asksRound: (said) => 'error' in said && (said.error as { code?: unknown }).code === -32042,
}
