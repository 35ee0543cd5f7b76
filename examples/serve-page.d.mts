/** The folders of the built pages by their paths: the same page in three frameworks, and all three side by side. */
export const builtPages: Readonly<Record<string, string>>

/** Serves the files of folders on this machine, and at `/config.json` the URL of the MCP server. */
export function servePage(options: {
  /** Folders by the path they are served under; the longest comes last. */
  readonly pages: Readonly<Record<string, string>>
  readonly server: string
  /** The first port to try; 0 takes any. */
  readonly port: number
  /** The pages show MCP Apps, whose scripts and styles stand in their documents. */
  readonly showsViews?: boolean
}): Promise<{ readonly url: string; close(): void }>
