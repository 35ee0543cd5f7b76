import type { JsonObject, TaskConnection } from '@mcp-task-machine/core'

/** A report that the server keeps as a resource. */
export interface Report {
  readonly uri: string
  readonly title: string
}

/** The list of reports as it was last read. */
export interface ReportList {
  /** `null` until it was read once. */
  readonly reports: readonly Report[] | null
  /** Why the last reading failed. */
  readonly problem: string | null
}

/** The server's reports, for any framework to follow. */
export interface Reports {
  getSnapshot(): ReportList
  subscribe(listener: () => void): () => void
  /** Reads the list again. Asked during a reading, it reads once more afterwards: what is read may be older than the question. */
  read(): void
  /** The text of one report. */
  text(uri: string): Promise<string>
}

const word = (value: unknown) => (typeof value === 'string' ? value : '')
const objects = (value: unknown) => (Array.isArray(value) ? (value as readonly JsonObject[]) : [])

export function createReports(connection: TaskConnection): Reports {
  const listeners = new Set<() => void>()
  let list: ReportList = { reports: null, problem: null }
  let isReading = false
  let isAskedAgain = false

  async function readAll(): Promise<readonly Report[]> {
    const { resources } = await connection.request('resources/list', {})
    return objects(resources).map(({ uri, name, title }) => ({ uri: word(uri), title: word(title) || word(name) }))
  }
  async function read(): Promise<void> {
    if (isReading) {
      isAskedAgain = true
      return
    }
    isReading = true
    do {
      isAskedAgain = false
      list = await readAll().then(
        (reports) => ({ reports, problem: null }),
        (error: Error) => ({ ...list, problem: error.message }),
      )
    } while (isAskedAgain)
    isReading = false
    for (const listener of listeners) listener()
  }

  return {
    getSnapshot: () => list,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    read: () => void read(),
    async text(uri) {
      const { contents } = await connection.request('resources/read', { uri })
      return objects(contents)
        .map((content) => word(content['text']))
        .join('\n')
    },
  }
}
