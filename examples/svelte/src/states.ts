import '@mcp-task-machine/example-ui/styles.css'
import { keepStill } from '@mcp-task-machine/example-ui/states'
import { mount } from 'svelte'
import States from './States.svelte'

keepStill()
mount(States, { target: document.getElementById('page')! })
