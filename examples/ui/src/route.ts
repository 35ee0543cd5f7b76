const PREFIX = '#/report/'

/** The address, within the page, where a resource is read. */
export function addressOf(uri: string): string {
  return PREFIX + encodeURIComponent(uri)
}

/** The resource that an address within the page reads; `null` where it shows the runs. */
export function reportAt(hash: string): string | null {
  if (!hash.startsWith(PREFIX)) return null
  try {
    return decodeURIComponent(hash.slice(PREFIX.length))
  } catch {
    return null
  }
}
