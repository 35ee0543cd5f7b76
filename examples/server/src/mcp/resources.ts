import { ResourceNotFoundError, type Server } from '@modelcontextprotocol/server'
import { reportId, reportUri } from '../reports/reports.ts'
import { APP_URI } from '../tools/app-uri.ts'
import { readApp } from './app.ts'
import type { Parts } from './parts.ts'

const mimeType = 'text/markdown'

/** `resources/list` and `resources/read`: the reports that tasks have written; and to be read only, since hosts alone use it, the view. */
export function addResources(server: Server, { reports, settings }: Parts): void {
  server.setRequestHandler('resources/list', async () => ({
    resources: (await reports.list()).map(({ id, title }) => ({ uri: reportUri(id), name: title, mimeType })),
  }))
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    if (uri === APP_URI) return { contents: [await readApp(settings.appFile)] }
    const report = await reports.get(reportId(uri))
    if (!report || uri !== reportUri(report.id)) throw new ResourceNotFoundError(uri)
    return { contents: [{ uri, mimeType, text: report.body }] }
  })
}
