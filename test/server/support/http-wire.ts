import { requestMessage, resultOf, type Json, type Wire } from './wire.ts'

/** Speaks to a server with `fetch` alone, so that a test sees what no SDK has touched. */
export function httpWire(
  url: string,
  { knowsTasks = true } = {},
): Wire & { post(method: string, params?: Json): Promise<Response> } {
  const post = (method: string, params: Json = {}, signal?: AbortSignal) => {
    const message = requestMessage(method, params, knowsTasks)
    const name = params['taskId'] ?? params['name'] ?? params['uri']
    return fetch(url, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(name && { 'mcp-name': name }),
      },
      body: JSON.stringify(message),
      ...(signal && { signal }),
    })
  }
  return {
    post,
    async request(method, params) {
      const response = await post(method, params)
      if (response.headers.get('content-type')?.startsWith('application/json')) return resultOf(await response.json())
      let last: Json = {}
      for await (const message of events(response)) last = message
      return resultOf(last)
    },
    async *listen(taskIds, more) {
      const leave = new AbortController()
      try {
        const response = await post('subscriptions/listen', { notifications: { taskIds, ...more } }, leave.signal)
        if (!response.ok) resultOf(await response.json())
        yield* events(response)
      } finally {
        leave.abort()
      }
    },
  }
}

/** The messages of a `text/event-stream` body. */
export async function* events(response: Response): AsyncGenerator<Json, void> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1]
      text = text.slice(end + 2)
      if (data) yield JSON.parse(data)
    }
  }
}
