import type { RequestOptions } from '../connection.ts'
import type { JobToolsOptions } from '../protocols/job-tools.ts'
import type { JsonObject } from '../task.ts'
import { isObject } from '../wire/json.ts'
import type { Link } from './link.ts'
import { Play, type Stage } from './play.ts'
import { createError, errorOf, faultError, jobAnswer, legacyTask, modernTask, progressOf, resultOf } from './say.ts'
import type { StatusStep } from './schedule.ts'
import type { Flavour, ServerSettings } from './scripted-server.ts'

const RELATED = 'io.modelcontextprotocol/related-task'

/** A call that the server works on, and what is open to whoever made it. */
interface Work {
  readonly play: Play
  /** Whoever made it has been given a task. */
  readonly isTask: boolean
  readonly onProgress: ((progress: JsonObject) => void) | undefined
  /** Its questions have a way to go: an open call, or a fetch of its result. */
  channels: number
  /** The questions that are on their way. */
  asked: StatusStep['ask']
}

/** What a request is answered with. */
type Answer = JsonObject | Promise<JsonObject>

/** What answers the requests: keeps the calls that were made, and speaks for them in the words of its flavour. */
export class Server implements Stage {
  readonly answers: { readonly key: string; readonly answer: JsonObject }[] = []
  readonly #settings: ServerSettings
  readonly #link: Link
  readonly #works = new Map<string, Work>()

  constructor(settings: ServerSettings, link: Link) {
    this.#settings = settings
    this.#link = link
  }

  /** Answers a request, or never. Rejects with an error as connections do. */
  async answer(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const { flavour } = this.#settings
    const tools: JobToolsOptions = this.#settings.tools
    const tool = params['name']
    const others: readonly unknown[] = [tools.status, tools.cancel, tools.retry, tools.result]
    const isJobTool = flavour === 'jobTools' && typeof tool === 'string' && others.includes(tool)
    if (method === 'tools/call' && !isJobTool) return this.#create(params, options)
    if (method === 'tasks/list' && flavour === 'augmented')
      return { tasks: [...this.#works.values()].map(({ play }) => legacyTask(play, this.#settings)) }
    const isTaskMethod = methods[flavour].includes(method)
    if (!isJobTool && !isTaskMethod) throw createError({ code: -32601, message: 'Method not found' })
    const id = isJobTool ? Object.values(isObject(params['arguments']) ? params['arguments'] : {})[0] : params['taskId']
    const work = this.#works.get(String(id))
    if (!work) return isJobTool ? unknownJob : Promise.reject(notFound())
    return this.#guard(work.play, [method, tool], isJobTool, () =>
      isJobTool ? this.#callJob(work, tool) : this.#ask(work, method, params, options),
    )
  }

  /** What is due comes first, then what the schedule does to this request, then its answer. */
  async #guard(play: Play, names: readonly unknown[], isJobTool: boolean, answer: () => Answer): Promise<JsonObject> {
    play.catchUp()
    const fault = play.faultOf(...names)
    if (fault === undefined) return answer()
    if (fault === 'malformed') return { banana: true }
    // The words of a tool: the call itself has succeeded.
    if (fault === 'gone' && isJobTool) return unknownJob
    const error = faultError(fault)
    if (error) throw error
    return new Promise(() => {})
  }

  async #create(params: JsonObject, { signal, onProgress }: RequestOptions): Promise<JsonObject> {
    const { flavour, schedule, onRetry, clock } = this.#settings
    const isJob = flavour === 'jobTools'
    const id = `${isJob ? 'job' : 'task'}-${this.#works.size + 1}`
    const play = new Play(id, isJob ? 'running' : 'working', clock, this)
    const isTask = flavour === 'extension' || (flavour === 'augmented' && isObject(params['task']))
    const work: Work = { play, isTask, onProgress, channels: 0, asked: undefined }
    // Known before its first step happens, which may tell of it.
    this.#works.set(id, work)
    if (!isTask && !isJob) signal?.addEventListener('abort', () => play.stop(), { once: true })
    play.follow(this.#works.size === 1 ? schedule : onRetry)
    return this.#guard(play, ['tools/call', params['name']], false, () => {
      if (flavour === 'extension') return modernTask(play, this.#settings, true)
      if (isJob) return this.#jobOf(play)
      if (isTask) return { task: legacyTask(play, this.#settings) }
      return this.#outcome(work)
    })
  }

  #ask(work: Work, method: string, params: JsonObject, { signal }: RequestOptions): Answer {
    const { play } = work
    const isModern = this.#settings.flavour === 'extension'
    const task = () => (isModern ? modernTask(play, this.#settings) : legacyTask(play, this.#settings))
    switch (method) {
      case 'tasks/get':
        return task()
      case 'tasks/result':
        return this.#outcome(work, signal)
      case 'tasks/update':
        for (const [key, answer] of Object.entries((params['inputResponses'] ?? {}) as Record<string, JsonObject>))
          this.#take(work, key, answer)
        return { resultType: 'complete' }
      default:
        if (play.isOver && !isModern) throw createError({ code: -32602, message: 'The task has ended already.' })
        this.#cancel(work)
        return isModern ? { resultType: 'complete' } : task()
    }
  }

  #callJob(work: Work, tool: unknown): JsonObject {
    const { onRetry } = this.#settings
    const tools: JobToolsOptions = this.#settings.tools
    const { play } = work
    if (tool === tools.cancel) this.#cancel(work)
    if (tool === tools.retry && play.isOver) play.restart('running', onRetry)
    return tool === tools.result && play.isOver ? resultOf(play.told) : this.#jobOf(play)
  }

  #jobOf(play: Play): JsonObject {
    return jobAnswer(play, this.#settings, this.#settings.tools.cancel !== undefined)
  }

  #cancel({ play }: Work) {
    const { onCancel } = this.#settings
    if (!play.isOver && onCancel.length > 0) play.follow(onCancel)
  }

  /** The end of a call that stays open until then, or of a task whose result is fetched: `signal` ends only the fetch. */
  async #outcome(work: Work, signal?: AbortSignal): Promise<JsonObject> {
    const { play, isTask } = work
    work.channels++
    const leave = () => void work.channels--
    signal?.addEventListener('abort', leave, { once: true })
    this.#askOpen(work)
    await play.end()
    const { told } = play
    if (told.status === 'cancelled') throw createError({ code: -32602, message: 'The task was cancelled.' })
    if (told.status === 'failed' && told.result === undefined) throw createError({ ...errorOf(told) })
    const result = resultOf(told)
    return isTask
      ? { ...result, _meta: { ...(result['_meta'] as JsonObject), [RELATED]: { taskId: play.id } } }
      : result
  }

  onStatus(play: Play, { push = false }: StatusStep): void {
    const { flavour } = this.#settings
    const work = this.#works.get(play.id)!
    const progress = progressOf(play.told)
    if (progress && (flavour === 'augmented' || flavour === 'plain')) work.onProgress?.(progress)
    if (push && flavour === 'augmented') this.#link.push('notifications/tasks/status', legacyTask(play, this.#settings))
    if (push && flavour === 'extension' && this.#link.isListenedTo(play.id))
      this.#link.push('notifications/tasks', modernTask(play, this.#settings))
    this.#askOpen(work)
  }

  onConnection({ connection }: { readonly connection: 'closed' | 'open' }): void {
    this.#link[connection === 'open' ? 'open' : 'close']()
  }

  /** Asks what is open in requests of its own, once each, as soon as they have a way to go. */
  #askOpen(work: Work) {
    const { play, isTask, channels, asked } = work
    if (this.#settings.flavour === 'extension' || channels === 0 || asked === play.told.ask) return
    work.asked = play.told.ask
    for (const [key, { method, params }] of Object.entries(play.open)) {
      const meta = isTask && { _meta: { [RELATED]: { taskId: play.id } } }
      this.#link
        .ask({ method, params: { ...params, ...meta }, taskId: isTask ? play.id : null, signal: play.asking.signal })
        // Refused is answered, too; what the app answers by itself is no concern of the schedule's.
        .then((answer) => answer && this.#take(work, key, answer))
        .catch((error: unknown) => this.#take(work, key, { error: String(error) }))
    }
  }

  #take({ play }: Work, key: string, answer: JsonObject) {
    if (Object.hasOwn(play.open, key)) this.answers.push({ key, answer })
    play.answer(key)
  }
}

const methods: Readonly<Record<Flavour, readonly string[]>> = {
  extension: ['tasks/get', 'tasks/update', 'tasks/cancel'],
  augmented: ['tasks/get', 'tasks/result', 'tasks/cancel'],
  plain: [],
  jobTools: [],
}
const notFound = () => createError({ code: -32602, message: 'Task not found' })
const unknownJob: JsonObject = { isError: true, content: [{ type: 'text', text: 'There is no such job.' }] }
