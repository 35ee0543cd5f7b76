import { fromClient, RequestError, type FromClientOptions, type McpClient } from '@mcp-task-machine/core/mcp'
import type { TaskConnection } from '@mcp-task-machine/core'
import type { Client as ClientV2 } from '@modelcontextprotocol/client'
import type { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, expectTypeOf, test } from 'vitest'

test('the clients of both SDKs are what fromClient takes', () => {
  expectTypeOf(fromClient).toBeCallableWith({} as ClientV2)
  expectTypeOf(fromClient).toBeCallableWith({} as ClientV1)
  expectTypeOf(fromClient).toBeCallableWith({} as McpClient, {} as FromClientOptions)
  expectTypeOf(fromClient).returns.toEqualTypeOf<TaskConnection>()
})

test('something that is no client is refused by its type', () => {
  expectTypeOf<{ request(): void }>().not.toExtend<McpClient>()
  expectTypeOf<object>().not.toExtend<McpClient>()
})

test('what can be read of an error has a type', () => {
  expectTypeOf<RequestError['code']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<RequestError['status']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<RequestError['retryAfter']>().toEqualTypeOf<number | undefined>()
  expect(new RequestError('closed', 'gone', { status: 404 })).toMatchObject({ reason: 'closed', status: 404 })
})

test('neither SDK is imported, not even for its types', () => {
  const folder = new URL('../../packages/core/src/mcp/', import.meta.url)
  const files = readdirSync(folder)
  expect(files.length).toBeGreaterThan(5)
  for (const file of files) {
    const imports = readFileSync(new URL(file, folder), 'utf8').matchAll(/(?:from|import\() ?'([^']+)'/g)
    for (const [, source] of imports) expect(source).toMatch(/^\.\.?\//)
  }
})
