import { expect } from 'vitest'
import type { Schedule } from './ops.ts'
import { modern, secrets, type Server } from './says.ts'
import { runSchedule, type Step } from './schedule.ts'
import type { WireRequest } from './world.ts'

/** Reads that may come out of turn, by task id: times at which something allowed one more. */
type Allowed = Map<string, number[]>

const requestTimeout = 30_000

/** Collects what allows a read out of turn: somebody asked, the handle says nothing yet, the payload is missing, or a refusal is to be understood. */
function allowances(allowed: Allowed, withTtl: boolean) {
  return ({ course: { world, view, answered }, op, before }: Step) => {
    const now = world.clock.now()
    const allow = (id: unknown) => {
      if (typeof id === 'string') allowed.set(id, [...(allowed.get(id) ?? []), now])
    }
    const current = view().task?.taskId ?? before.task?.taskId
    if (['resume', 'resumeReference', 'refresh', 'adopt'].includes(op.do)) allow(current)
    // A deadline is decided by one read, in each life of the run.
    const goesOn = op.do === 'cancel' && before.phase === 'detached'
    if (withTtl && (goesOn || ['resume', 'resumeReference', 'adopt'].includes(op.do))) allow(current)
    if (op.do === 'adopt' && op.say.status !== 'working') allow(current)
    if (op.do === 'push' && !op.say.payload) {
      const call = world.sent.findLast(({ method }) => method === 'tools/call')
      for (const id of new Set([current, call && `${secrets.id}-${call.nth}`])) allow(id)
    }
    if (op.do !== 'answer' || !answered) return
    // An early fetch that was answered: only a read tells what that meant.
    if (answered.method === 'tasks/result') allow(answered.params['taskId'])
    const { say } = op
    const id = answered.method === 'tools/call' ? `${secrets.id}-${answered.nth}` : answered.params['taskId']
    if (['completed', 'failed', 'cancelled', 'input_required'].includes(say.status)) allow(id)
    if (say.kind === 'error' && say.code === -32602) allow(id)
  }
}

function expectGaps(
  reads: readonly WireRequest[],
  { start, floor, spare }: { start: number; floor: number; spare: number },
  allowed: readonly number[],
) {
  let left = spare
  let seen = 0
  let earliest = start + floor
  for (const read of reads) {
    while (seen < allowed.length && allowed[seen]! <= read.at) {
      seen++
      left++
    }
    if (read.at < earliest) {
      expect({ early: earliest - read.at, left }).toEqual({ early: earliest - read.at, left: Math.max(1, left) })
      left--
    }
    const end = Math.min(read.endedAt ?? Infinity, read.at + requestTimeout)
    earliest = Math.max(earliest - floor, end) + floor
  }
}

/** Plays a schedule whose server names that interval, and looks at when its reads went out. */
export async function checkGaps(
  schedule: Schedule,
  interval: number | null | undefined,
  withTtl: boolean,
  server: Server = modern,
): Promise<void> {
  const allowed: Allowed = new Map()
  const course = await runSchedule(schedule, allowances(allowed, withTtl), {}, server)
  const floor = Math.max(250, interval ?? 2000)
  const ids = new Set(course.world.sent.map(({ params }) => params['taskId']).filter((id) => typeof id === 'string'))
  for (const id of ids) {
    const reads = course.world.sent.filter(({ method, params }) => method === 'tasks/get' && params['taskId'] === id)
    const nth = Number(id.split('-').at(-1))
    const start = course.world.sent[nth]?.endedAt ?? 0
    expectGaps(reads, { start, floor, spare: withTtl ? 1 : 0 }, allowed.get(id) ?? [])
  }
}
