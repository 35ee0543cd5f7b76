import { defaultClientConditions, defineConfig } from 'vite'

export default defineConfig({
  root: 'host',
  build: { outDir: '../dist/host', emptyOutDir: true, target: 'es2023', chunkSizeWarningLimit: 1500 },
  resolve: { conditions: ['@mcp-task-machine/source', ...defaultClientConditions] },
})
