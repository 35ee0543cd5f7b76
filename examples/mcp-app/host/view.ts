import type { Client, Tool } from '@modelcontextprotocol/client'
import type { McpUiResourceMeta } from '@modelcontextprotocol/ext-apps'

/** A view as its server gives it. */
export interface View {
  readonly html: string
  readonly csp: NonNullable<McpUiResourceMeta['csp']>
}

/** Reads the view of a tool. */
export async function readView(client: Client, { name, _meta }: Tool): Promise<View> {
  const { resourceUri } = (_meta?.['ui'] ?? {}) as { readonly resourceUri?: string }
  if (!resourceUri) throw new Error(`The tool ${name} has no view.`)
  const [content] = (await client.readResource({ uri: resourceUri })).contents
  if (!content || !('text' in content)) throw new Error(`The view of ${name} is no text.`)
  const csp = (content._meta?.['ui'] as McpUiResourceMeta | undefined)?.csp ?? {}
  return { html: withPolicy(content.text, csp), csp }
}

/** The page, held to what its server declares and otherwise to itself. */
function withPolicy(html: string, { connectDomains = [], resourceDomains = [] }: View['csp']): string {
  const loads = origins(resourceDomains)
  const policy = [
    `default-src 'none'`,
    `script-src 'unsafe-inline' ${loads}`,
    `style-src 'unsafe-inline' ${loads}`,
    `img-src data: ${loads}`,
    `font-src data: ${loads}`,
    `connect-src ${origins(connectDomains) || `'none'`}`,
    `form-action 'none'`,
    `base-uri 'none'`,
  ].join('; ')
  return html.replace('<head>', () => `<head><meta http-equiv="content-security-policy" content="${policy}">`)
}

/** Only origins: anything else could end the directive, or the attribute. */
function origins(domains: readonly string[]): string {
  return domains.filter((domain) => /^(https|wss):\/\/[\w*.:-]+$/.test(domain)).join(' ')
}
