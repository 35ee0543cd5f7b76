/**
 * What one would type without a library: wait, ask, look. It takes the handle from the server directly, since a client of the
 * SDK refuses the answer to a call that became a task; only its reads are measured.
 */
export async function followByHand(server, request) {
  let task = server.answer('tools/call')
  const { taskId } = task
  while (task.status === 'working') {
    const { pollIntervalMs } = task
    await new Promise((resolve) => setTimeout(resolve, pollIntervalMs))
    task = await request('tasks/get', { taskId })
  }
  return task.result
}
