import type { RequestOptions } from '../connection.ts'
import type { Settings } from '../options.ts'
import type { Protocol } from '../protocols/protocol.ts'
import { isTerminal, type JsonObject, type Task } from '../task.ts'
import { noAnswer, readFailure, type Failure } from '../wire/failure.ts'
import { isObject } from '../wire/json.ts'
import { sameNews, type News } from '../wire/news.ts'
import { readPrompts } from '../wire/prompts.ts'
import { malformedFailure } from '../wire/result.ts'
import { isOlder, sameTask } from '../wire/task.ts'
import { clampInterval, nextDelay } from './delay.ts'
import { Asked } from './asked.ts'
import { attempt } from './attempt.ts'
import type { Hub } from './hub.ts'
import type { Questions } from './questions.ts'
import { endOf, type Follower, type Report } from './report.ts'
import type { Job } from './scheduler.ts'
import { canShare, Tabs, type TabMessage } from './tabs.ts'

/** What a run remembers of its task. */
export interface Known {
  /** ms; when the newest snapshot was seen. */
  readonly seenAt: number | null
  /** The handle was just made: one "not found" may be a routing fault (EXT-CREATE-3). */
  readonly created: boolean
  /** The last read failed. */
  readonly backingOff: boolean
}

/**
 * Reads one task of one connection for all who follow it: one read at a time, timed from the end of the last one (EXT-POLL-2).
 * It outlives a poll actor, so that stopping and starting to follow never reads earlier than the server allows (P28).
 */
export class TaskReader implements Job {
  due = 0
  position: number | undefined = undefined
  readonly taskId: string
  readonly #hub: Hub
  readonly #protocol: Protocol
  readonly #settings: Settings
  readonly #options: RequestOptions
  readonly #followers: Follower[] = []
  #waiting: (() => void)[] | undefined
  #news: News
  /** ms; when that was seen. */
  #seenAt: number
  /** When the newest accepted snapshot was asked for, or arrived as a push: a count, not a time. */
  #order = 0
  #interval: number
  /** ms; when the last read ended, or when the one that is out began. */
  #since: number
  /** ms; while failing: not before this. */
  #retryAt = 0
  /** ms; when something made it read out of turn. */
  #hurriedAt = -Infinity
  #failures = 0
  /** Order number of the read in flight, or 0. */
  #asking = 0
  #state: 'fresh' | 'known' | 'doubted' | 'halted' | 'ended'
  readonly #asked: Asked | undefined
  /** The other pages that follow it, where the run is stored for them. */
  #tabs: Tabs | undefined

  /**
   * @param task the newest snapshot its first follower has
   * @param known what that follower remembers of it
   */
  constructor(hub: Hub, protocol: Protocol, settings: Settings, task: Task, known: Known) {
    this.#hub = hub
    this.#protocol = protocol
    this.#settings = settings
    this.#options = { timeout: settings.requestTimeout }
    this.taskId = task.taskId!
    this.#news = { task }
    this.#seenAt = known.seenAt ?? 0
    this.#since = this.#seenAt
    // Told already: whoever hears of a recovery must have failed before.
    if (known.backingOff) this.#failures = 1
    this.#interval = clampInterval(task.pollInterval, settings)
    this.#state = isTerminal(task.status) ? 'ended' : known.created ? 'fresh' : 'known'
    if (protocol.asksWhileFetching)
      this.#asked = new Asked(hub.connection, protocol, settings, this.taskId, {
        onPayload: (raw) => this.#takePayload(raw),
        onDoubt: () => this.#hurry(),
        onPrompts: () => this.#tellPrompts(),
      })
  }

  get isFollowed(): boolean {
    return this.#followers.length > 0
  }

  /** What the server wants to know of us for this task; `undefined` where it has other ways to ask. */
  get questions(): Questions | undefined {
    return this.#state === 'ended' ? undefined : this.#asked?.questions
  }

  /** ms; not before this. */
  get nextRead(): number {
    return Math.max(this.#since + this.#interval, this.#retryAt)
  }

  /** Whether it still holds back a read that would come too early. */
  get isCooling(): boolean {
    const now = this.#hub.now()
    const isReading = this.#asking > 0 && now - this.#since < this.#settings.requestTimeout
    // What the server has asked is asked only once: somebody may come back to it.
    const isAsked = this.#asked?.questions.isEmpty === false
    return isReading || isAsked || (this.#state !== 'ended' && this.nextRead > now)
  }

  /** Whether the last read failed. */
  get isFailing(): boolean {
    return this.#failures > 0 || this.#state === 'doubted' || this.#state === 'halted'
  }

  follow(follower: Follower): void {
    this.#followers.push(follower)
    if (this.#state === 'halted') this.#state = 'known'
    if (!this.#tabs && this.#settings.storage && this.#state !== 'ended' && canShare())
      this.#tabs = new Tabs(
        `mcp-task-machine:${JSON.stringify([this.#hub.connection.endpoint, this.#hub.connection.principal, this.taskId])}`,
        () => this.#lead(),
        (message) => this.#hear(message),
      )
    this.#subscribe()
    this.schedule()
  }

  /** What is known that is newer than this moment (ms). */
  newsSince(seenAt: number): News | undefined {
    const isNewer = this.#order > 0 && this.#seenAt > seenAt
    return isNewer || this.#asked?.isEmpty === false ? this.#news : undefined
  }

  /** The fetch of the payload that is open already, once. */
  takeFetch(): Promise<JsonObject> | undefined {
    return this.#asked?.takeFetch()
  }

  /** Something may have been missed: reads now, unless that was done a moment ago. */
  catchUp(): void {
    if (this.position === undefined || this.#asking > 0) return
    const soonest = Math.max(this.#since + this.#settings.minPollInterval, this.#retryAt)
    if (soonest <= this.#hub.now()) this.#hub.scheduler.at(this.#hub.now(), this)
  }

  /** From now on the server is believed at once when it does not know the task. */
  trust(): void {
    if (this.#state === 'fresh') this.#state = 'known'
  }

  leave(follower: Follower): void {
    const at = this.#followers.indexOf(follower)
    if (at >= 0) this.#followers.splice(at, 1)
    if (this.isFollowed) this.schedule()
    else this.#hub.scheduler.drop(this)
  }

  /** Nobody follows any more, nor will in a moment. */
  rest(): void {
    this.#tabs?.stop()
    this.#tabs = undefined
    this.#asked?.rest()
  }

  /** Gives an answer to the request of the server that waits for it, here or in the page that reads. @returns whether one does */
  answer(key: string, answer: JsonObject): boolean {
    const asked = this.#state === 'ended' ? undefined : this.#asked
    if (asked?.questions.answer(key, answer)) return true
    const isElsewhere = asked !== undefined && Object.hasOwn(asked.elsewhere, key)
    // What a form has observed, as those of Vue do, goes through no channel.
    if (isElsewhere) this.tell({ type: 'answer', key, answer: JSON.parse(JSON.stringify(answer)) })
    return isElsewhere
  }

  /** Tells the other pages what this one has done. */
  tell(message: TabMessage): void {
    this.#tabs?.tell(message)
  }

  get #isWanted(): boolean {
    return this.#state !== 'halted' && this.#state !== 'ended' && this.#followers.some(({ resting }) => !resting)
  }

  /** Arms or disarms the next read, whichever is due now. */
  schedule(): void {
    // A wall clock that was set back must not hold up the next read.
    this.#since = Math.min(this.#since, this.#hub.now())
    const wanted = this.#isWanted
    // Who was asked stays the one who reads: many servers ask only once, and the answer has to go where the question came from.
    const isAsked = this.#state !== 'halted' && this.#asked?.questions.isEmpty === false
    this.#tabs?.want(wanted || isAsked)
    // A stream that stayed open would be asked on beside that of the page that reads.
    if (this.#tabs?.leads === false && this.#state !== 'ended') this.#asked?.rest()
    const isOthers = this.#tabs?.leads === false && this.#asking === 0
    if (!wanted || isOthers) this.#hub.scheduler.drop(this)
    else this.#hub.scheduler.at(this.#asking > 0 ? this.#since + this.#settings.requestTimeout : this.nextRead, this)
  }

  /** Reads at once, or joins the read that is out. @returns when that read has ended, however it ended */
  readNow(): Promise<void> {
    if (this.#state === 'ended') return Promise.resolve()
    if (this.#state === 'halted') {
      this.#state = 'known'
      this.#subscribe()
    }
    if (this.#asking === 0) this.#read()
    return this.afterRead()
  }

  /** Resolves when the read that is out has ended; at once if none is. */
  afterRead(): Promise<void> {
    if (this.#asking === 0) return Promise.resolve()
    return new Promise((resolve) => (this.#waiting ??= []).push(resolve))
  }

  /** Takes a push, which is as good as a read at that moment and never postpones one (EXT-NOTIF-3). */
  push(raw: JsonObject): void {
    const before = this.#news
    this.#take(raw)
    if (this.#tabs?.leads && this.#news !== before) this.#tabs.show({ type: 'snapshot', raw })
  }

  #take(raw: JsonObject) {
    const news = this.#decode(raw)
    if (!news || 'sort' in news || (this.#state === 'ended' && !news.outcome)) return
    const { task } = news
    this.#accept(
      task && task.pollInterval === undefined
        ? { ...news, task: { ...task, pollInterval: this.#news.task?.pollInterval } }
        : news,
      this.#hub.nextOrder(),
    )
    this.schedule()
  }

  /** The connection has closed. */
  close(failure: Failure): void {
    this.#halt({ type: 'poll.closed', failure })
  }

  /** The connection is open again: whoever follows goes on. */
  open(): void {
    this.#report({ type: 'poll.opened' })
  }

  /** The scheduler calls: a read is due, or the one that is out has taken too long. */
  run(): void {
    if (this.#asking === 0) return this.#read()
    this.#asking = 0
    this.#fail(noAnswer)
  }

  #read() {
    const order = this.#hub.nextOrder()
    this.#asking = order
    this.#since = this.#hub.now()
    this.#hub.scheduler.at(this.#since + this.#settings.requestTimeout, this)
    attempt(() => this.#protocol.read(this.#hub.connection, this.taskId, this.#options)).then(
      (raw) => {
        if (this.#asking === order) this.#answer(raw, order)
      },
      (error: unknown) => {
        if (this.#asking === order) this.#fail(readFailure(error))
      },
    )
  }

  #answer(raw: JsonObject, order: number) {
    const news = this.#decode(raw)
    if (!news || 'sort' in news)
      return this.#fail(news ?? malformedFailure('a snapshot of the task that was asked for', raw))
    this.#since = this.#hub.now()
    const before = this.#news
    this.#accept(news, order)
    this.#tabs?.show({ type: 'snapshot', raw }, this.#news !== before)
    this.#ended()
  }

  /** Another page has read, or has done something about the task. */
  #hear({ type, raw, keys, key, answer, requests }: JsonObject) {
    if (type === 'snapshot') {
      this.#since = this.#hub.now()
      this.#take(raw as JsonObject)
    } else if (type === 'cancelled')
      this.#report({ type: 'poll.news', news: { ...this.#news, isBeingCancelled: true } })
    else if (type === 'answered' && Array.isArray(keys)) this.#report({ type: 'poll.answered', keys })
    else if (type === 'answer' && isObject(answer)) this.#asked?.questions.answer(String(key), answer)
    else if (type === 'asked' && !this.#tabs?.leads)
      this.#askElsewhere(readPrompts(requests, this.#hub.connection.endpoint))
  }

  /** This page reads from now on. What the one before was asked, the server asks anew. */
  #lead() {
    if (this.#asked?.isEmpty === false) this.#askElsewhere({})
    else if (this.#asked) this.#tabs!.show({ type: 'asked', requests: {} })
    this.#subscribe()
    this.schedule()
  }

  #askElsewhere(requests: Asked['elsewhere']) {
    if (!this.#asked) return
    this.#asked.elsewhere = requests
    this.#tellPrompts()
  }

  /** `null` for what is no snapshot of this task; a failure where the first one tells that none can ever be read. */
  #decode(raw: JsonObject): News | Failure | null {
    try {
      return this.#protocol.readSnapshot(raw, this.taskId, this.#hub.connection)
    } catch (error) {
      const failure = readFailure(error)
      return failure.sort === 'refused' && this.#order === 0 ? failure : null
    }
  }

  /** The read is over: whoever waited for it goes on, and the next one is armed. */
  #ended() {
    this.#asking = 0
    const waiting = this.#waiting
    this.#waiting = undefined
    this.schedule()
    for (const resume of waiting ?? []) resume()
  }

  #accept(given: News, order: number) {
    const before = this.#news
    const news = this.#asked?.addTo(given) ?? given
    const terminal = news.outcome !== undefined || isTerminal(news.task!.status)
    const recovered = this.#failures > 0
    this.#failures = 0
    this.#retryAt = 0
    if (!terminal && isOlder(news.task!, before.task!, order < this.#order)) {
      if (recovered) this.#report({ type: 'poll.recovered' })
      return
    }
    this.#order = order
    this.#seenAt = this.#since
    this.#state = terminal ? 'ended' : 'known'
    if (terminal) this.#asked?.questions.dismiss()
    // News that say nothing new are dropped at once: kept, they would outlive the read and burden the collector.
    const isSame = !terminal && sameTask(before.task!, news.task!) && sameNews(before, news)
    if (isSame) {
      if (recovered) this.#report({ type: 'poll.recovered' })
      return this.lookEarly()
    }
    this.#news = news
    this.#interval = clampInterval(news.task?.pollInterval, this.#settings)
    if (news.outcome) this.#hub.forget(this)
    this.#report({ type: 'poll.news', news })
    this.lookEarly()
  }

  #subscribe() {
    // A browser has few streams to give: the page that reads listens for the others.
    if (this.#tabs?.leads === false || !this.#protocol.subscribes || this.#state === 'ended') return
    this.#hub.subscription.add(this.taskId)
  }

  /** Fetches early if the server wants input and somebody is there to give it. */
  lookEarly(): void {
    const isWanted = this.#tabs?.leads !== false && this.#followers.some(({ answers }) => answers)
    if (isWanted && this.#state !== 'ended') this.#asked?.look(this.#news.task!.status)
  }

  /** The early fetch was answered before a read or a push said that the task has ended. @returns whether it has */
  #takePayload(raw: JsonObject): boolean {
    if (this.#state === 'ended') return true
    try {
      this.#accept(this.#protocol.readPayload(raw, this.#news.task!, this.#hub.connection), this.#hub.nextOrder())
      this.schedule()
      return true
    } catch {
      return false
    }
  }

  /** Reads now, but no more than once per interval. */
  #hurry() {
    const now = this.#hub.now()
    if (!this.#isWanted || now - this.#hurriedAt < this.#interval) return
    this.#hurriedAt = now
    void this.readNow()
  }

  #tellPrompts() {
    if (this.#state === 'ended') return
    this.#news = this.#asked!.addTo({ task: this.#news.task! })
    this.#report({ type: 'poll.news', news: this.#news })
    if (this.#tabs?.leads) this.#tabs.show({ type: 'asked', requests: this.#asked!.questions.requests })
    this.schedule()
  }

  #fail(reason: Failure) {
    this.#since = this.#hub.now()
    this.#failures++
    const { maxPollFailures, maxPollInterval } = this.#settings
    const end = endOf(reason, this.#failures >= maxPollFailures)
    if (reason.sort === 'gone' && this.#state === 'fresh') this.#state = 'doubted'
    else if (end) {
      if (end.type === 'poll.gone') this.#hub.forget(this)
      this.#halt(end)
    } else {
      this.#retryAt =
        this.#since +
        nextDelay(
          { base: this.#interval, longest: maxPollInterval, random: this.#hub.connection.random },
          reason,
          this.#failures,
        )
      if (this.#failures === 1) this.#report({ type: 'poll.trouble', failure: reason })
    }
    this.#ended()
  }

  #halt(report: Report) {
    if (this.#state === 'ended') return
    this.#state = 'halted'
    this.#failures = 0
    this.#retryAt = 0
    this.#report(report)
  }

  #report(report: Report) {
    // A copy: hearing the news makes followers leave.
    for (const follower of this.#followers.slice()) follower.report(report)
  }
}
