import { svelte } from '@sveltejs/vite-plugin-svelte'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

// The same tests as everywhere, on the oldest versions that the packages claim to work with.
const root = fileURLToPath(new URL('.', import.meta.url))
const dir = fileURLToPath(new URL('../..', import.meta.url))
const conditions = ['@mcp-task-machine/source']

/** Whoever imports one of these gets this folder's. */
const floors: Plugin = {
  name: 'floors',
  enforce: 'pre',
  resolveId(id, importer, options) {
    if (!/^(react|react-dom|svelte|vue|xstate|@sveltejs\/vite-plugin-svelte)(\/|$)/.test(id)) return undefined
    if (importer?.includes('/node_modules/')) return undefined
    return this.resolve(id, `${root}index.js`, { ...options, skipSelf: true })
  },
}
const source = { root, plugins: [floors], resolve: { conditions }, ssr: { resolve: { conditions } } }

export default defineConfig({
  root,
  test: {
    projects: [
      {
        ...source,
        test: {
          name: 'core',
          dir,
          include: ['packages/core/test/**/*.test.ts', 'test/floors/*.test.ts'],
        },
      },
      {
        root,
        plugins: [floors, svelte({ configFile: false })],
        resolve: { conditions: [...conditions, 'browser'] },
        test: {
          name: 'adapters',
          dir,
          include: ['test/adapters/**/*.test.{ts,tsx}', 'test/ssr/**/*-hydration.test.{ts,tsx}'],
          // React's <Activity> came with 19.2.
          exclude: ['**/node_modules/**', 'test/adapters/react-activity.test.tsx'],
          environment: 'happy-dom',
        },
      },
      {
        ...source,
        plugins: [floors, svelte({ configFile: false })],
        test: {
          name: 'ssr',
          dir,
          include: ['test/ssr/**/*.test.{ts,tsx}'],
          exclude: ['**/node_modules/**', 'test/ssr/**/*-hydration.test.{ts,tsx}'],
        },
      },
    ],
  },
})
