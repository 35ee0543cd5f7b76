// Processes that end with this one, however it ends.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const running = new Set()
const goodbyes = new Set()
let leaving = false

/** The path of a file in this folder. */
export const path = (name) => fileURLToPath(new URL(name, import.meta.url))

/** Whether everything is being ended. */
export const isLeaving = () => leaving

/** Keeps a process, so that it ends with this one. Each is the head of a group: what it starts in turn ends, too. */
export function keep(child) {
  running.add(child)
  child.on('exit', () => running.delete(child))
}

/** Calls something that has to be closed when all ends. */
export function onLeave(close) {
  goodbyes.add(close)
}

/** Sends a signal to a process and to what it started. */
export function end(child, signal) {
  try {
    if (process.platform === 'win32') child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch {
    // It has ended by itself.
  }
}

/** Ends all that was started, and then this process. */
export function leave(code) {
  if (leaving) return
  leaving = true
  process.exitCode = code
  clearInterval(watch)
  for (const close of goodbyes) close()
  for (const child of running) end(child, 'SIGTERM')
  setTimeout(() => {
    for (const child of running) end(child, 'SIGKILL')
  }, 5000).unref()
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => leave(signal === 'SIGINT' ? 130 : 143))
process.on('exit', () => {
  for (const child of running) end(child, 'SIGKILL')
})
// npm passes no signal on through its shell: when it is gone, somebody wanted this to end.
const parent = process.ppid
const watch = setInterval(() => {
  if (process.ppid !== parent) leave(143)
}, 300)

/** Starts a script of this folder. */
export function run(script, args, { stdio, ...options }) {
  const detached = process.platform !== 'win32'
  const child = spawn(process.execPath, [path(script), ...args], { ...options, stdio, detached })
  keep(child)
  child.on('error', (error) => {
    console.error(`${script} could not be started: ${error.message}`)
    leave(1)
  })
  return child
}

/** Does one thing that has to succeed before the next. */
export async function step(work, sentence) {
  const code = leaving ? 1 : await work
  if (code === 0 || leaving) return
  console.error(sentence)
  leave(1)
}
