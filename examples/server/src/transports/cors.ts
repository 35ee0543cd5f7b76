import type { IncomingMessage, ServerResponse } from 'node:http'

/** Lets pages of this machine call the server. Returns true when it has answered a preflight request itself. */
export function allowBrowser(request: IncomingMessage, response: ServerResponse): boolean {
  const { origin } = request.headers
  if (!origin) return false
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('access-control-expose-headers', 'mcp-session-id, mcp-protocol-version')
  response.setHeader('vary', 'origin')
  if (request.method !== 'OPTIONS') return false
  response.setHeader('access-control-allow-methods', 'GET, POST, DELETE')
  response.setHeader('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '*')
  response.writeHead(204).end()
  return true
}
