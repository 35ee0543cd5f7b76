/** Serves the files of a folder on this machine, and at `/config.json` the URL of the MCP server. */
export function servePage(options: {
  readonly folder: string
  readonly server: string
  /** The first port to try; 0 takes any. */
  readonly port: number
}): Promise<{ readonly url: string; close(): void }>
