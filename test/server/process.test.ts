import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { httpWire } from './support/http-wire.ts'
import { endProcesses, spawnServer, startProcess } from './support/server-process.ts'
import { stdioWire } from './support/stdio-wire.ts'
import { createTask } from './support/wire.ts'

afterAll(endProcesses)

test('a port that is taken leads to a free one, and one line on stdout says which', async () => {
  const blocker = createServer().listen(0, '127.0.0.1')
  await once(blocker, 'listening')
  const { port } = blocker.address() as AddressInfo
  const server = await startProcess(['--port', String(port)])
  expect(Number(new URL(server.url).port)).toBeGreaterThan(port)

  const more: string[] = []
  server.child.stdout?.on('data', (chunk) => more.push(String(chunk)))
  const wire = httpWire(server.url)
  await createTask(wire, 'start_research', { query: 'tea', seconds: 60 })
  expect(await server.end('SIGTERM')).toBe(0)
  expect(more).toEqual([])
  blocker.close()
})

test('over stdio the server ends when its client leaves, though work is under way', async () => {
  const client = stdioWire()
  await createTask(client, 'start_research', { query: 'tea', seconds: 60 })
  expect(await client.leave()).toBe(0)
})

test.each([
  ['no command', [], 'Usage:'],
  ['a port that is none', ['http', '--port', 'x'], 'must be a port'],
])('%s ends the process with a sentence', async (_what, args, sentence) => {
  const child = spawnServer(args)
  let errors = ''
  child.stderr?.on('data', (chunk) => (errors += String(chunk)))
  const [code] = await once(child, 'exit')
  expect(code).toBe(1)
  expect(errors).toContain(sentence)
})

test('a setting that is no number ends the process with a sentence', async () => {
  await expect(startProcess([], { WORKERS: 'many' })).rejects.toThrow('WORKERS must be a whole number')
})
