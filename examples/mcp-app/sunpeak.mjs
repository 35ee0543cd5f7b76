// Shows the view in sunpeak's inspector, in its replicas of ChatGPT and Claude, with the example server behind it. Needs a build, and npm once.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { keep, leave } from '../processes.mjs'
import { startServer } from '../start-server.mjs'

// No dependency of the workspace: 142 MB for a tool to look with.
const SUNPEAK = 'sunpeak@0.20.79'

const view = fileURLToPath(new URL('dist/view/index.html', import.meta.url))
if (!existsSync(view)) {
  console.error('The view is not built: run `pnpm build` in the top folder first.')
  process.exit(1)
}
const server = await startServer(['--port', process.env.PORT ?? '0'], () => false).listening
const port = process.env.PAGE_PORT ?? '3200'
const inspector = spawn('npx', ['--yes', '--loglevel=error', SUNPEAK, 'inspect', '--server', server, '--port', port], {
  stdio: ['ignore', 'inherit', 'inherit'],
  detached: process.platform !== 'win32',
  shell: process.platform === 'win32',
})
keep(inspector)
inspector.on('exit', (code) => leave(code ?? 1))
