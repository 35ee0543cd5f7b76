import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { TaskView } from '@mcp-task-machine/core'
import { expect } from 'vitest'
import { findChromium } from './chromium.ts'

const PATIENCE_MS = 30_000
type Send = (method: string, params?: object) => Promise<any>

/** A tab as people have it, with one call on its page. */
export class RealTab {
  readonly send: Send
  /** Brings it to the front, which hides the others. */
  readonly show: () => Promise<unknown>

  constructor(send: Send, show: () => Promise<unknown>) {
    this.send = send
    this.show = show
  }

  async evaluate(expression: string): Promise<any> {
    const { result } = await this.send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true })
    return result.value
  }

  async goto(url: string): Promise<void> {
    await this.send('Page.navigate', { url })
    await expect.poll(() => this.evaluate('location.href'), { timeout: PATIENCE_MS }).toBe(url)
  }

  async press(button: string): Promise<void> {
    await this.evaluate(
      `[...document.querySelectorAll('button')].find((each) => each.textContent === '${button}').click()`,
    )
  }

  async view(): Promise<TaskView | null> {
    return JSON.parse(await this.evaluate(`document.querySelector('output')?.textContent ?? 'null'`))
  }

  /** Resolves once the view shows that. */
  async shows(expected: object): Promise<void> {
    await expect.poll(() => this.view(), { timeout: PATIENCE_MS }).toMatchObject(expected)
  }

  /** Stops all that runs in a hidden tab, as browsers do to save energy; or lets it go on. */
  async freeze(frozen: boolean): Promise<void> {
    await this.send('Page.setWebLifecycleState', { state: frozen ? 'frozen' : 'active' })
  }
}

/** A browser whose tabs hide each other, freeze and come back: Playwright holds all of its pages in front, and turns the back/forward cache off. */
export async function openRealBrowser() {
  const profile = await mkdtemp(join(tmpdir(), 'mcp-browser-'))
  const args = [
    '--headless=new',
    '--no-sandbox',
    '--no-first-run',
    '--remote-debugging-pipe',
    `--user-data-dir=${profile}`,
  ]
  const process = spawn(await findChromium(), args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] })
  const exited = new Promise((resolve) => process.once('exit', resolve))
  const send = speak(process.stdio[3] as Writable, process.stdio[4] as Readable)
  const opened = new Set<string>()
  return {
    async newTab(): Promise<RealTab> {
      const { targetId } = await send('Target.createTarget', { url: 'about:blank' })
      opened.add(targetId)
      const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true })
      return new RealTab(
        (method, params) => send(method, params, sessionId),
        () => send('Target.activateTarget', { targetId }),
      )
    },
    async closeTabs() {
      await Promise.all([...opened].map((targetId) => send('Target.closeTarget', { targetId })))
      opened.clear()
    },
    async close() {
      process.kill('SIGKILL')
      await exited
      await rm(profile, { recursive: true, force: true })
    },
  }
}

/** Chromium's own protocol: JSON messages that end with a zero byte. */
function speak(to: Writable, from: Readable) {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()
  let count = 0
  let text = ''
  from.setEncoding('utf8').on('data', (chunk: string) => {
    const messages = (text + chunk).split('\0')
    text = messages.pop()!
    for (const message of messages) {
      const { id, result, error } = JSON.parse(message)
      if (error) waiting.get(id)?.reject(new Error(error.message))
      else waiting.get(id)?.resolve(result)
      waiting.delete(id)
    }
  })
  return (method: string, params: object = {}, sessionId?: string): Promise<any> =>
    new Promise((resolve, reject) => {
      waiting.set(++count, { resolve, reject })
      to.write(`${JSON.stringify({ id: count, method, params, sessionId })}\0`)
    })
}
