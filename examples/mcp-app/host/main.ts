import { connect } from './connect.ts'
import { openLink } from './links.ts'
import { createStage } from './stage.ts'
import { readView } from './view.ts'

/* A host page: `?tool=` and `?args=` say which call its view is about, `?tasks=off` that it relays no tasks. */

const search = new URLSearchParams(location.search)
const wanted = {
  tool: search.get('tool') ?? 'start_research',
  args: JSON.parse(search.get('args') ?? '{"query":"How do tides work?","seconds":30}') as Record<string, unknown>,
}
const client = await connect()
const { tools } = await client.listTools()
const tool = tools.find(({ name }) => name === wanted.tool)
if (!tool) throw new Error(`The server has no tool ${wanted.tool}.`)
const view = await readView(client, tool)

const stage = createStage({
  client,
  tool,
  args: wanted.args,
  view,
  relays: search.get('tasks') !== 'off',
  place: document.getElementById('view')!,
  onContext: (context) => (document.getElementById('context')!.textContent = JSON.stringify(context, null, 2)),
  onOpenLink: (url) => openLink(url, view, client),
})

const does = {
  Open: stage.open,
  'Call and open': stage.openWithCall,
  'Tear down': stage.tearDown,
  Reload: stage.reload,
  Theme: stage.toggleTheme,
}
for (const [name, act] of Object.entries(does)) {
  const button = document.createElement('button')
  button.textContent = name
  button.addEventListener('click', () => void act())
  document.getElementById('buttons')!.append(button)
}
