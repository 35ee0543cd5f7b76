export { startServer } from './start-server.ts'
export type { RunningServer, ServerOptions } from './start-server.ts'
export type { Settings } from './settings.ts'
