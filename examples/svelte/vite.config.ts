import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'
import { pageConfig } from '../ui/vite-config.ts'

export default defineConfig(pageConfig('/svelte/', svelte({ configFile: false })))
