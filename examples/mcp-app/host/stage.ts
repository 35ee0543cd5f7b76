import { relayTasks } from '@mcp-task-machine/core/apps'
import { fromClient } from '@mcp-task-machine/core/mcp'
import type { Client, Tool } from '@modelcontextprotocol/client'
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge'
import type { View } from './view.ts'

interface Options {
  readonly client: Client
  readonly tool: Tool
  readonly args: Record<string, unknown>
  readonly view: View
  readonly relays: boolean
  readonly place: HTMLElement
  readonly onContext: (context: unknown) => void
  readonly onOpenLink: (url: string) => Promise<boolean>
}

type Answer = Parameters<AppBridge['sendToolResult']>[0]

/** Shows a view in a sandboxed iframe, takes it away, and brings it back to the work it left. */
export function createStage({ client, tool, args, view, relays, place, onContext, onOpenLink }: Options) {
  // All that is remembered of a view while it is not shown: the tasks it may reach, and the answer that its work began with.
  const tasks = new Set<string>()
  let opening: Answer | undefined
  let shown: { readonly bridge: AppBridge; readonly iframe: HTMLIFrameElement } | undefined
  let theme: 'light' | 'dark' = 'light'

  async function open() {
    await tearDown()
    const iframe = document.createElement('iframe')
    iframe.title = tool.title ?? tool.name
    // No origin of its own, so nothing of this page's: no storage, no cookies.
    iframe.setAttribute('sandbox', 'allow-scripts allow-forms')
    place.append(iframe)
    await show(iframe)
  }

  /** Each document gets a bridge of its own: what an earlier one agreed on is not its business. */
  async function show(iframe: HTMLIFrameElement) {
    const bridge = new AppBridge(
      client,
      { name: 'small-host', version: '1.0.0' },
      { serverTools: {}, openLinks: {}, updateModelContext: { text: {}, structuredContent: {} } },
      { hostContext: { theme, toolInfo: { tool } } },
    )
    bridge.oninitialized = async () => {
      await bridge.sendToolInput({ arguments: args })
      if (opening) await bridge.sendToolResult(opening)
    }
    bridge.onsizechange = ({ height }) => {
      if (height) iframe.style.height = `${height}px`
    }
    bridge.onupdatemodelcontext = async (context) => {
      onContext(context.structuredContent)
      return {}
    }
    bridge.onopenlink = async ({ url }) => ({ isError: !(await onOpenLink(url)) })
    await bridge.connect(new PostMessageTransport(iframe.contentWindow!, iframe.contentWindow!))
    if (relays) relayTasks(bridge, client, { tasks })
    rememberStarts(bridge)
    iframe.srcdoc = view.html
    shown = { bridge, iframe }
  }

  /** What the view starts by itself is its opening call when it comes back. */
  function rememberStarts(bridge: AppBridge) {
    const call = bridge.oncalltool!
    bridge.oncalltool = undefined
    bridge.oncalltool = async (params, extra) => {
      const answer = await call(params, extra)
      if (/^(start|retry|book)_/.test(params.name)) opening = answer
      return answer
    }
  }

  /** Calls the tool as a model would, and opens the view on what was begun. */
  async function openWithCall() {
    const params = { name: tool.name, arguments: args }
    if (relays) {
      const answer = await fromClient(client).request('tools/call', params)
      opening = { content: [], ...answer }
      if (typeof answer['taskId'] === 'string') tasks.add(answer['taskId'])
    } else opening = await client.callTool(params)
    await open()
  }

  async function tearDown() {
    if (!shown) return
    const { bridge, iframe } = shown
    shown = undefined
    await bridge.teardownResource({})
    await bridge.close()
    iframe.remove()
  }

  /** Loads the view anew without a word to it, as a browser may. */
  async function reload() {
    if (!shown) return
    const { bridge, iframe } = shown
    await bridge.close()
    await show(iframe)
  }

  function toggleTheme() {
    theme = theme === 'light' ? 'dark' : 'light'
    document.documentElement.dataset['theme'] = theme
    shown?.bridge.setHostContext({ theme, toolInfo: { tool } })
  }

  return { open, openWithCall, tearDown, reload, toggleTheme }
}
