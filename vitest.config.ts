import { availableParallelism } from 'node:os'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

// Workspace packages resolve to their TypeScript, so tests need no build.
const conditions = ['@mcp-task-machine/source']
const source = { resolve: { conditions }, ssr: { resolve: { conditions } } }

export default defineConfig({
  test: {
    // Most of the time is servers' own: the machine is not idle meanwhile.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      { ...source, test: { name: 'core', include: ['packages/core/test/**/*.test.ts'] } },
      {
        ...source,
        test: {
          name: 'wire',
          include: ['test/**/*.test.ts'],
          exclude: [
            '**/node_modules/**',
            'test/adapters/**',
            'test/ssr/**',
            'test/ui/**',
            'test/browser/**',
            'test/floors/**',
          ],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        plugins: [svelte({ configFile: false })],
        resolve: { conditions: [...conditions, 'browser'] },
        test: {
          name: 'adapters',
          include: ['test/adapters/**/*.test.{ts,tsx}', 'test/ssr/**/*-hydration.test.{ts,tsx}'],
          environment: 'happy-dom',
        },
      },
      { ...source, test: { name: 'ui', include: ['test/ui/**/*.test.{ts,tsx}'] } },
      {
        ...source,
        // The first run may have to install a browser.
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/browser/support/shared-demo.ts'],
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 600_000,
        },
      },
      {
        ...source,
        plugins: [svelte({ configFile: false })],
        test: {
          name: 'ssr',
          include: ['test/ssr/**/*.test.{ts,tsx}'],
          exclude: ['**/node_modules/**', 'test/ssr/**/*-hydration.test.{ts,tsx}'],
        },
      },
    ],
  },
})
