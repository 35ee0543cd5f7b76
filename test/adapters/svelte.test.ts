import { describeAdapter } from './contract.ts'
import { componentDriver, rootDriver } from './svelte-driver.svelte.ts'

describeAdapter('Svelte', componentDriver)
describeAdapter('Svelte in a bare effect root', rootDriver)
