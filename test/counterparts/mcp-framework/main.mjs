// A server on mcp-framework, which has a task manager of its own: `node main.mjs stdio` or `node main.mjs http`, on any free port.
import { MCPServer } from 'mcp-framework'

const [, , type] = process.argv
const server = new MCPServer({
  name: 'mcp-framework-counterpart',
  version: '1.0.0',
  basePath: import.meta.dirname,
  // As a text, since the framework takes the number 0 for no port at all.
  transport: type === 'http' ? { type: 'http-stream', options: { port: '0' } } : { type: 'stdio' },
  tasks: { enabled: true, defaultPollInterval: 100 },
})
await server.start()
