import { readFile } from 'node:fs/promises'
import { ProtocolError } from '@modelcontextprotocol/server'
import { APP_URI } from '../tools/app-uri.ts'
import { CODES } from './words.ts'

const mimeType = 'text/html;profile=mcp-app'

/** Reads the view from the file it was built to. It loads nothing and connects to nothing, and says so. */
export async function readApp(file: string) {
  const text = await readFile(file, 'utf8').catch((cause: Error) => {
    throw new ProtocolError(CODES.internalError, `The view is not built: run \`pnpm build\` first. (${cause.message})`)
  })
  return { uri: APP_URI, mimeType, text, _meta: { ui: { csp: { connectDomains: [], resourceDomains: [] } } } }
}
