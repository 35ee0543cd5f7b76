import { Transport } from './transport.mjs'

const clientInfo = { name: 'bench', version: '1.0.0' }

/** A connected client of `@modelcontextprotocol/client`, which speaks 2026-07-28. */
export async function connectClient(server) {
  const { Client } = await import('@modelcontextprotocol/client')
  const client = new Client(clientInfo, { capabilities: {} })
  const transport = new Transport(server)
  const discover = {
    supportedVersions: ['2026-07-28'],
    capabilities: server.capabilities,
    ttlMs: 0,
    cacheScope: 'private',
    resultType: 'complete',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'bench', version: '1.0.0' } },
  }
  await client.connect(transport, { prior: { kind: 'modern', discover } })
  return { client, transport, clientInfo }
}

/** A connected client of `@modelcontextprotocol/sdk`, which speaks 2025-11-25. */
export async function connectOlderClient(server) {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
  const client = new Client(clientInfo, { capabilities: {} })
  const transport = new Transport(server)
  await client.connect(transport)
  return { client, transport, clientInfo }
}

/** Accepts anything, in the words of both SDKs. */
export const anything = {
  '~standard': { version: 1, vendor: 'bench', validate: (value) => ({ value }) },
  safeParse: (data) => ({ success: true, data }),
}
