import type { Client } from '@modelcontextprotocol/client'
import type { View } from './view.ts'

/**
 * Opens what a view wants opened: a report of its server here, a page of a domain it declares in a new tab.
 * @returns whether it was opened
 */
export async function openLink(url: string, { csp }: View, client: Client): Promise<boolean> {
  if (!URL.canParse(url)) return false
  const { protocol, origin } = new URL(url)
  if (protocol === 'report:') return show(url, client)
  const declared = [...(csp.connectDomains ?? []), ...(csp.resourceDomains ?? [])]
  if (!declared.includes(origin)) return false
  window.open(url, '_blank', 'noopener,noreferrer')
  return true
}

async function show(uri: string, client: Client): Promise<boolean> {
  const [content] = (await client.readResource({ uri })).contents
  if (!content || !('text' in content)) return false
  const section = document.getElementById('opened')!
  section.querySelector('pre')!.textContent = content.text
  section.hidden = false
  return true
}
