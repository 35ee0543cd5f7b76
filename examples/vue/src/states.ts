import '@mcp-task-machine/example-ui/styles.css'
import { keepStill } from '@mcp-task-machine/example-ui/states'
import { createApp } from 'vue'
import States from './States.vue'

keepStill()
createApp(States).mount('#page')
