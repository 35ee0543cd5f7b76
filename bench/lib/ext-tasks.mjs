/** The seams through which `@modelcontextprotocol/ext-tasks` reaches a server. */

/**
 * The raw path that ext-tasks wants for 2026-07-28: its requests go by the client, with ids of their own, and straight to the
 * client's transport. That is cheaper than any path through the client.
 */
export function rawDispatch(transport) {
  const pending = new Map()
  let count = 0
  const inner = transport.onmessage
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has no other way.
  transport.onmessage = (message, extra) => {
    const settle = pending.get(message.id)
    if (!settle) return inner(message, extra)
    pending.delete(message.id)
    settle({ kind: 'result', result: message.result })
  }
  return (request) =>
    new Promise((resolve, reject) => {
      const id = `raw-${count++}`
      pending.set(id, resolve)
      transport.send({ jsonrpc: '2.0', id, ...request }).catch(reject)
    })
}

/** A session port with no SDK in it, the counterpart of the stub connection. */
export function createStubPort(server) {
  return {
    endpointId: 'bench',
    invalidated: false,
    taskCapabilities: { generation: 'v2', capabilities: {} },
    dispatch: async ({ method, params }) => ({ kind: 'result', result: server.answer(method, params) }),
    onServerRequest: () => () => {},
    onNotification: () => () => {},
    onInvalidated: () => () => {},
  }
}
