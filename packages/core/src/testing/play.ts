import type { Clock } from '../connection.ts'
import { isEnd } from './check-schedule.ts'
import type { ConnectionStep, FaultStep, Schedule, ScheduleStep, StatusStep } from './schedule.ts'

/** What the server knows of a call now. */
export type Told = Omit<StatusStep, 'after' | 'push'> & { readonly status: string }

/** Longer waits would fire at once. */
const longest = 2 ** 31 - 1

/** Who makes something of each step, when it happens. */
export interface Stage {
  onStatus(play: Play, step: StatusStep): void
  onConnection(step: ConnectionStep): void
}

/** One call, as its schedule has it: goes from step to step by the clock, and waits where the schedule says so. */
export class Play {
  readonly id: string
  /** ms */
  readonly startedAt: number
  /** ms */
  updatedAt: number
  told: Told
  /** Aborts when a question is withdrawn: the work has gone on without an answer. */
  asking = new AbortController()
  readonly #clock: Clock
  readonly #stage: Stage
  readonly #ends: (() => void)[] = []
  readonly #open = new Set<string>()
  #steps: Schedule = []
  /** ms; when the next step happens; `null` = not before something else did. */
  #due: number | null = null
  #timer: unknown
  #fault: { readonly step: FaultStep; left: number } | null = null

  constructor(id: string, status: string, clock: Clock, stage: Stage) {
    this.id = id
    this.#clock = clock
    this.#stage = stage
    this.startedAt = this.updatedAt = clock.now()
    this.told = { status }
  }

  get isOver(): boolean {
    return isEnd(this.told.status)
  }

  /** What the server asks, until it is answered. */
  get open(): NonNullable<StatusStep['ask']> {
    return Object.fromEntries(Object.entries(this.told.ask ?? {}).filter(([key]) => this.#open.has(key)))
  }

  /** Goes on with other steps from here. */
  follow(schedule: Schedule): void {
    this.#steps = schedule
    this.#fault = null
    this.#withdraw()
    if (this.told.status === 'input_required') this.told = { ...this.told, status: 'working' }
    this.#wait(this.#clock.now())
    this.catchUp()
  }

  /** The same work once more, of which nothing is known yet. */
  restart(status: string, schedule: Schedule): void {
    this.told = { status }
    this.updatedAt = this.#clock.now()
    this.follow(schedule)
  }

  /** Nothing happens any more. */
  stop(): void {
    this.follow([])
  }

  /** Does what is due. */
  catchUp(): void {
    while (this.#due !== null && this.#due <= this.#clock.now()) {
      const at = this.#due
      const [step, ...rest] = this.#steps as [ScheduleStep, ...ScheduleStep[]]
      this.#steps = rest
      this.#happen(step, at)
    }
    this.#clock.clearTimeout(this.#timer)
    if (this.#due === null) return
    this.#timer = this.#clock.setTimeout(() => this.catchUp(), Math.min(this.#due - this.#clock.now(), longest))
  }

  /** What befalls a request of these names, which counts as having happened. */
  faultOf(...names: readonly unknown[]): FaultStep['fault'] | undefined {
    const fault = this.#fault
    if (!fault || (fault.step.on !== undefined && !names.includes(fault.step.on))) return undefined
    if (--fault.left === 0) {
      this.#fault = null
      this.#wait(this.#clock.now())
      this.catchUp()
    }
    return fault.step.fault
  }

  /** A question was answered. @returns whether it was open */
  answer(key: string): boolean {
    if (!this.#open.delete(key)) return false
    if (this.#open.size === 0) {
      this.told = { ...this.told, status: 'working' }
      this.#wait(this.#clock.now())
      this.catchUp()
    }
    return true
  }

  /** Resolves when the work has ended; never if it does not. */
  end(): Promise<void> {
    return this.isOver ? Promise.resolve() : new Promise((resolve) => this.#ends.push(resolve))
  }

  #happen(step: ScheduleStep, at: number) {
    // Before anybody hears of it: they may ask at once.
    this.#due = null
    if ('fault' in step) {
      this.#fault = { step, left: step.times ?? 1 }
      return
    }
    if ('connection' in step) this.#stage.onConnection(step)
    else {
      const { after: _, push: __, ...said } = step
      this.#withdraw()
      this.told = { ...this.told, ...said }
      this.updatedAt = at
      for (const key of Object.keys(said.ask ?? {})) this.#open.add(key)
    }
    if (this.#open.size === 0) this.#wait(at)
    if ('connection' in step) return
    this.#stage.onStatus(this, step)
    if (this.isOver) for (const end of this.#ends.splice(0)) end()
  }

  #withdraw() {
    this.#open.clear()
    this.asking.abort()
    this.asking = new AbortController()
  }

  #wait(since: number) {
    const [next] = this.#steps
    this.#due = next ? since + (next.after ?? 0) : null
  }
}
