import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closePages, openPage } from './support/browser.ts'
import { startDemo } from './support/demo.ts'

let folder: string
let demo: Awaited<ReturnType<typeof startDemo>>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-browser-'))
  demo = await startDemo(['--data', folder])
})
afterAll(async () => {
  await closePages()
  await demo?.stop()
  await rm(folder, { recursive: true, force: true })
})

test('a server killed in the middle of a run and started again is followed to the result, and so is its list', async () => {
  const { page, panel, sent } = await openPage({ url: demo.page })
  await panel.start('Research a question', { Question: 'Will it last?', 'Seconds of work': '4' })
  await panel.progress.getByText(/^Reading \d of 8$/).waitFor()
  await demo.server.end('SIGKILL')
  await panel.says('Out of reach', 'The work may still be going on.')

  await demo.restart()
  await panel.button('Look again').click()
  await panel.says('Finished')
  await page.getByRole('link', { name: 'Report: Will it last?' }).waitFor()
  expect(sent('tools/call')).toBe(1)
})
