import type { JsonObject } from '@mcp-task-machine/core'
import { useTaskGroup } from '@mcp-task-machine/react'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import {
  completed,
  createFakeConnection,
  handle,
  snapshot,
} from '../../../packages/core/test/support/fake-connection.ts'

/* A page with as many tasks as one may be expected to carry, and a server within it, each of whose answers is another one than before. */

const MEMBERS = 1000
const POLL_MS = 200
let tasks = 0
let reads = 0
let isOver = false

function answer(method: string, { taskId }: JsonObject): JsonObject {
  if (method === 'tools/call') return handle({ taskId: `tk-${tasks++}`, pollIntervalMs: POLL_MS })
  if (isOver) return { ...completed(), taskId }
  return snapshot('working', { taskId, statusMessage: `Read ${reads++}`, pollIntervalMs: POLL_MS })
}
const connection = createFakeConnection({
  // Later, as everything that comes over a wire.
  request: (method, params) => new Promise((resolve) => setTimeout(() => resolve(answer(method, params)))),
})

/** What the test looks at. */
const seen = { renders: 0, frames: 0, since: 0 }
Object.assign(window, { seen })
const countFrame = () => {
  seen.frames++
  requestAnimationFrame(countFrame)
}
requestAnimationFrame(countFrame)

function Clicks() {
  const [clicks, setClicks] = useState(0)
  return (
    <button type="button" onClick={() => setClicks(clicks + 1)}>
      Clicked {clicks} times
    </button>
  )
}

function Members() {
  const { fire, views, counts } = useTaskGroup({ connection })
  seen.renders++
  const start = () => {
    seen.since = Date.now()
    for (let nth = 0; nth < MEMBERS; nth++) fire('tile_city')
  }
  return (
    <>
      <button type="button" onClick={start}>
        Start
      </button>
      <button type="button" onClick={() => (isOver = true)}>
        Finish
      </button>
      <p role="status">
        {counts.working} working, {counts.completed} finished
      </p>
      <ol>
        {views.map(({ progress }, nth) => (
          <li key={nth}>{progress?.message}</li>
        ))}
      </ol>
    </>
  )
}

createRoot(document.getElementById('page')!).render(
  <>
    <Clicks />
    <Members />
  </>,
)
