import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { pageConfig } from '../ui/vite-config.ts'

export default defineConfig(pageConfig('/', react()))
