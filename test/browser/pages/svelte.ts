import { mount } from 'svelte'
import { connect } from './surface.ts'
import Page from './Page.svelte'

mount(Page, { target: document.getElementById('page')!, props: { connection: await connect() } })
