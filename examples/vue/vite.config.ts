import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vite'
import { pageConfig } from '../ui/vite-config.ts'

export default defineConfig(pageConfig('/vue/', vue()))
