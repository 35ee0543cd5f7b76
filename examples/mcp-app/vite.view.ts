import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig, type Plugin } from 'vite'

/** Puts the scripts and styles of the page into the page itself: a host gets a view as one text. */
function oneFile(): Plugin {
  return {
    name: 'one-file',
    enforce: 'post',
    generateBundle(_, bundle) {
      const page = bundle['index.html']
      if (page?.type !== 'asset') this.error('There is no page to put the scripts into.')
      let html = String(page.source)
      for (const [name, file] of Object.entries(bundle)) {
        if (file === page) continue
        // A function, since `$` means something in a text to put in.
        if (file.type === 'chunk') {
          const code = file.code.replaceAll('</script', '<\\/script')
          html = html.replace(
            /<script[^>]*\ssrc="[^"]*"[^>]*><\/script>/,
            () => `<script type="module">${code}</script>`,
          )
        } else html = html.replace(/<link[^>]*rel="stylesheet"[^>]*>/, () => `<style>${String(file.source)}</style>`)
        delete bundle[name]
      }
      page.source = html
    },
  }
}

export default defineConfig({
  root: 'view',
  plugins: [react(), oneFile()],
  build: {
    outDir: '../dist/view',
    emptyOutDir: true,
    // `light-dark()` stays what it is.
    cssTarget: 'chrome125',
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1500,
  },
  resolve: { conditions: ['@mcp-task-machine/source', ...defaultClientConditions] },
})
