import type { Clock } from '../connection.ts'

/** Beyond this many ms, timers of JavaScript fire at once: longer waits are taken in slices. */
const longest = 2 ** 31 - 1

/** Something to be done at a time. */
export interface Job {
  run(): void
  /** When, in ms of the clock; belongs to the scheduler, as `position` does. */
  due?: number
  position?: number
}

/** One timer for all that waits on a connection: a binary heap of jobs, earliest first. */
export class Scheduler {
  readonly #clock: Clock
  readonly #heap: Job[] = []
  #timer: unknown
  #armedFor = Infinity

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Does a job at that time, instead of any time it had before. A time that is no finite number never comes. */
  at(due: number, job: Job): void {
    this.drop(job)
    if (!Number.isFinite(due)) return
    job.due = due
    this.#place(job, this.#heap.length)
    this.#rise(job)
    if (this.#heap[0] === job) this.#arm()
  }

  drop(job: Job): void {
    const { position } = job
    if (position === undefined) return
    delete job.position
    const last = this.#heap.pop()!
    if (last !== job) {
      this.#place(last, position)
      this.#rise(last)
      this.#sink(last)
    }
    if (this.#heap.length === 0) this.#disarm()
  }

  #place(job: Job, position: number) {
    this.#heap[position] = job
    job.position = position
  }

  #rise(job: Job) {
    for (let at = job.position!; at > 0;) {
      const above = (at - 1) >> 1
      const parent = this.#heap[above]!
      if (parent.due! <= job.due!) break
      this.#place(parent, at)
      this.#place(job, above)
      at = above
    }
  }

  #sink(job: Job) {
    for (let at = job.position!; ;) {
      const [left, right] = [this.#heap[2 * at + 1], this.#heap[2 * at + 2]]
      const child = right && right.due! < left!.due! ? right : left
      if (!child || child.due! >= job.due!) break
      const below = child.position!
      this.#place(child, at)
      this.#place(job, below)
      at = below
    }
  }

  #disarm() {
    this.#clock.clearTimeout(this.#timer)
    this.#armedFor = Infinity
  }

  #arm() {
    const first = this.#heap[0]
    if (!first || first.due === this.#armedFor) return
    this.#disarm()
    this.#armedFor = first.due!
    const wait = Math.max(0, first.due! - this.#clock.now())
    // A sliced wait looks again; a whole one takes the timer's word, since a wall clock can be set back meanwhile.
    const reached = wait <= longest ? first.due! : -Infinity
    this.#timer = this.#clock.setTimeout(() => this.#tick(reached), Math.min(Math.ceil(wait), longest))
  }

  #tick(reached: number) {
    this.#armedFor = Infinity
    const now = Math.max(reached, this.#clock.now())
    let fault: { readonly error: unknown } | undefined
    for (let first = this.#heap[0]; first && first.due! <= now; first = this.#heap[0]) {
      this.drop(first)
      try {
        first.run()
      } catch (error) {
        fault ??= { error }
      }
    }
    this.#arm()
    // Reported like any error in a timer, once nobody else has to suffer from it.
    if (fault) throw fault.error
  }
}
