// The pinned pnpm from the command line: `node .ci/pnpm.mjs run lint`.
import { pnpm } from './install.mjs'

process.exit(await pnpm(process.argv.slice(2)))
