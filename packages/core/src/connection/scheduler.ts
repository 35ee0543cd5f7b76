import type { Clock } from '../connection.ts'

/** Beyond this many ms, timers of JavaScript fire at once: longer waits are taken in slices. */
const longest = 2 ** 31 - 1

/** Jobs done in one go. */
const batch = 16

/** Something to be done at a time. */
export interface Job {
  run(): void
  /** When, in ms of the clock; belongs to the scheduler, as `position` does. */
  due?: number
  position?: number | undefined
}

/** One timer for all that waits on a connection: a binary heap of jobs, earliest first. */
export class Scheduler {
  readonly #clock: Clock
  readonly #heap: Job[] = []
  #timer: unknown
  #armedFor = Infinity
  /** Jobs that are due are being done: the timer is set when they are through. */
  #isBusy = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Does a job at that time, instead of any time it had before. A time that is no finite number never comes. */
  at(due: number, job: Job): void {
    if (!Number.isFinite(due)) return this.drop(job)
    const later = job.position !== undefined && due > job.due!
    job.due = due
    if (job.position === undefined) this.#place(job, this.#heap.length)
    if (later) this.#sink(job)
    else this.#rise(job)
    if (this.#heap[0] === job) this.#arm()
  }

  drop(job: Job): void {
    const { position } = job
    if (position === undefined) return
    job.position = undefined
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
    if (this.#isBusy || !first || first.due === this.#armedFor) return
    this.#disarm()
    this.#armedFor = first.due!
    const wait = Math.max(0, first.due! - this.#clock.now())
    // A sliced wait looks again; a whole one takes the timer's word, since a wall clock can be set back meanwhile.
    const reached = wait <= longest ? first.due! : -Infinity
    this.#timer = this.#clock.setTimeout(() => this.#tick(reached), Math.min(Math.ceil(wait), longest))
  }

  #tick(reached: number) {
    this.#armedFor = Infinity
    this.#isBusy = true
    this.#next(Math.max(reached, this.#clock.now()))
  }

  /** Does what is due, a few jobs at a time, so that answers find room: a thousand requests at once are a thousand that wait. */
  #next(now: number) {
    let fault: { readonly error: unknown } | undefined
    let job = this.#heap[0]
    for (let done = 0; job && job.due! <= now && done < batch; done++) {
      const { due } = job
      try {
        job.run()
      } catch (error) {
        fault ??= { error }
      }
      // Most jobs give themselves their next time; this one did not.
      if (job.position !== undefined && job.due === due) this.drop(job)
      job = this.#heap[0]
    }
    this.#isBusy = job !== undefined && job.due! <= now
    if (this.#isBusy) queueMicrotask(() => this.#next(now))
    else this.#arm()
    // Reported like any error in a timer, once nobody else has to suffer from it.
    if (fault) throw fault.error
  }
}
