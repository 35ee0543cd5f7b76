import type { Page, Route } from 'playwright-core'

type Json = Record<string, any>

/** The JSON-RPC request of an HTTP request, if it is one. */
function messageOf(body: string | null): Json | undefined {
  return body?.startsWith('{') ? JSON.parse(body) : undefined
}

/** Counts what the page sends, by method. */
export function countRequests(page: Page): (method: string) => number {
  const counts = new Map<string, number>()
  page.on('request', (request) => {
    const method: string | undefined = messageOf(request.postData())?.['method']
    if (method) counts.set(method, (counts.get(method) ?? 0) + 1)
  })
  return (method) => counts.get(method) ?? 0
}

/** Takes the page's requests of one method into a test's hands until the returned function is called; the others pass. */
export async function intercept(
  page: Page,
  method: string,
  handle: (route: Route, message: Json) => Promise<unknown>,
): Promise<() => Promise<void>> {
  // Not `unroute`: a request that is being handled would be passed on under the handler's hands.
  const handling = new Set<Promise<unknown>>()
  let isOver = false
  await page.route('**/mcp', async (route) => {
    const message = messageOf(route.request().postData())
    if (isOver || message?.['method'] !== method) return route.fallback()
    const handled = handle(route, message)
    handling.add(handled)
    await handled.finally(() => handling.delete(handled))
  })
  return async () => {
    isOver = true
    await Promise.all(handling)
  }
}

/** Holds back the page's requests of one method until they are let go. */
export async function holdBack(page: Page, method: string) {
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  let arrived = () => {}
  const arrival = new Promise<void>((resolve) => (arrived = resolve))
  await intercept(page, method, async (route) => {
    arrived()
    await opened
    // The page may be gone by then.
    await route.continue().catch(() => {})
  })
  return { arrival, letGo: () => open() }
}

/** Answers a request in the server's place, with a result made of the server's own. */
export async function answer(route: Route, change: (result: Json) => Json): Promise<void> {
  const response = await route.fetch()
  const body = await response.text()
  // A stream of one event, or plain JSON: this server uses either.
  const text = /^data: (.*)$/m.exec(body)?.[1] ?? body
  const message: Json = JSON.parse(text)
  if (message['result']) message['result'] = change(message['result'])
  await route.fulfill({
    status: response.status(),
    headers: { ...response.headers(), 'content-type': 'application/json' },
    body: JSON.stringify(message),
  })
}

/** The page asks to be pushed what happens to its tasks, and is refused: all it learns comes by `tasks/get`. */
export async function refusePushes(page: Page): Promise<void> {
  await intercept(page, 'subscriptions/listen', (route, { params }) =>
    params['notifications']['taskIds'] ? route.abort() : route.fallback(),
  )
}
