import { anything, connectClient, connectOlderClient } from './clients.mjs'
import { createStubPort, rawDispatch } from './ext-tasks.mjs'
import { followByHand } from './hand.mjs'
import { createStubConnection } from './stub-connection.mjs'

/** How each layer is reached: a newer client, an older one, or no SDK at all. */
const clients = { client: connectClient, sdk: connectOlderClient }

/** Opens one way of following tasks over one layer. @returns a function that makes one call and resolves with its result */
export async function openPeer(peer, layer, server) {
  const open = await peers[peer](layer, server)
  return open
}

const peers = {
  async hand(layer, server) {
    if (layer === 'stub') {
      const { request } = createStubConnection(server)
      return () => followByHand(server, request)
    }
    const { client } = await clients[layer](server)
    return () => followByHand(server, (method, params) => client.request({ method, params }, anything))
  },

  async ours(layer, server) {
    const { createTaskRunner } = await import('@mcp-task-machine/core')
    const connection = await connect(layer, server)
    const options = {
      connection,
      tool: 'job',
      minPollInterval: 10,
    }
    return async (onChange) => {
      const runner = createTaskRunner(options)
      if (onChange) runner.subscribe(() => onChange(runner.getSnapshot()))
      await runner.fire({})
      return runner.result()
    }
  },

  async 'ext-tasks'(layer, server) {
    const { createTaskSessionFromClient, withTasks } = await import('@modelcontextprotocol/ext-tasks/client')
    let session
    if (layer === 'stub') session = withTasks(createStubPort(server))
    else {
      const { client, transport, clientInfo } = await connectClient(server)
      session = createTaskSessionFromClient(client, {
        endpointId: 'bench',
        rawDispatch: rawDispatch(transport),
        v2RequestFraming: { protocolVersion: '2026-07-28', clientInfo, clientCapabilities: {} },
      })
    }
    return async () => {
      const execution = await session.callTool('job', {})
      return execution.settle()
    }
  },
}

async function connect(layer, server) {
  if (layer === 'stub') return createStubConnection(server)
  const { fromClient } = await import('@mcp-task-machine/core/mcp')
  const { client } = await clients[layer](server)
  return fromClient(client)
}
