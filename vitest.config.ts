import { defineConfig } from 'vitest/config'

// Workspace packages resolve to their TypeScript, so tests need no build.
const conditions = ['@mcp-task-machine/source']
const source = { resolve: { conditions }, ssr: { resolve: { conditions } } }

export default defineConfig({
  test: {
    projects: [
      { ...source, test: { name: 'core', include: ['packages/core/test/**/*.test.ts'] } },
      { ...source, test: { name: 'wire', include: ['test/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 120_000 } },
    ],
  },
})
