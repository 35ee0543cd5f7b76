const createdAt = '2026-01-01T00:00:00.000Z'

/**
 * A server in this process that makes every call a task (2026-07-28) and answers at once. No JSON text and no network: what is
 * left is the cost of whoever asks. Nothing changes from read to read until the last one.
 */
export class Server {
  /** How many reads it takes a task to complete. */
  reads = Infinity
  /** ms that clients are to wait between reads. */
  interval
  /** Methods of the requests it got, oldest first, if they are kept. */
  log = null
  /** Calls back with each task id that is read. */
  onRead = () => {}
  /** Set by the transport: sends a notification. */
  notify = () => {}
  #seen = new Map()

  constructor({ reads = Infinity, interval }) {
    this.reads = reads
    this.interval = interval
  }

  capabilities = { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } }

  snapshot(taskId, status = 'working') {
    return {
      taskId,
      status,
      statusMessage: 'Rendering page 3 of 40',
      createdAt,
      lastUpdatedAt: createdAt,
      ttlMs: 3_600_000,
      pollIntervalMs: this.interval,
      ...(status === 'completed' && { result: { content: [{ type: 'text', text: 'done' }] } }),
    }
  }

  answer(method, params) {
    this.log?.push(method)
    if (method === 'tools/call') {
      const taskId = `task-${this.#seen.size}`
      this.#seen.set(taskId, 0)
      return { resultType: 'task', ...this.snapshot(taskId) }
    }
    if (method === 'tasks/get') {
      const { taskId } = params
      const count = this.#seen.get(taskId) + 1
      this.#seen.set(taskId, count)
      this.onRead(taskId)
      return { resultType: 'complete', ...this.snapshot(taskId, count >= this.reads ? 'completed' : 'working') }
    }
    if (method === 'tools/list') {
      const tools = [{ name: 'job', inputSchema: { type: 'object' } }]
      return { resultType: 'complete', tools, ttlMs: 0, cacheScope: 'private' }
    }
    // What only the older SDK asks when it connects.
    if (method === 'initialize')
      return {
        protocolVersion: '2025-11-25',
        capabilities: this.capabilities,
        serverInfo: { name: 'bench', version: '1.0.0' },
      }
    return { resultType: 'complete' }
  }
}
