import '@mcp-task-machine/example-ui/styles.css'
import { createApp } from 'vue'
import Opening from './Opening.vue'

createApp(Opening).mount('#page')
