import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** A client of the MCP server that whoever serves the page names. */
export async function connect(): Promise<Client> {
  const { server } = (await (await fetch('/config.json')).json()) as { readonly server: string }
  const client = new Client(
    { name: 'small-host', version: '1.0.0' },
    { capabilities: { elicitation: { form: {}, url: {} } }, versionNegotiation: { mode: 'auto' } },
  )
  await client.connect(new StreamableHTTPClientTransport(new URL(server)))
  return client
}
