import '@mcp-task-machine/example-ui/styles.css'
import { mount } from 'svelte'
import Root from './Root.svelte'

mount(Root, { target: document.getElementById('page')! })
