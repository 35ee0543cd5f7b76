import type { InputRequest, JsonObject, ToolResult } from '@mcp-task-machine/core'
import { addressOf, blocksOf, formatProgress, formatSize, generationIn } from '@mcp-task-machine/example-ui'
import { jobs, partsOf, promptOf, reportAt, readForm, fieldsOf, initialValues } from '@mcp-task-machine/example-ui'
import { describe, expect, test } from 'vitest'

describe('a prompt', () => {
  const ask = (params: JsonObject, kind: InputRequest['kind'] = 'elicitation') =>
    promptOf({ key: 'k', kind, method: 'sampling/createMessage', params, server: null })

  test('without a mode is a form', () => {
    expect(ask({ message: 'Who?', requestedSchema: { properties: { name: { type: 'string' } } } })).toMatchObject({
      kind: 'form',
      message: 'Who?',
      fields: [{ name: 'name', kind: 'text' }],
    })
  })

  test.each([
    ['https://example.com', 'https://', 'example.com', '/'],
    ['http://localhost:80/a?b#c', 'http://', 'localhost', '/a?b#c'],
    ['https://bank.example@evil.example:8443/', 'https://bank.example@', 'evil.example:8443', '/'],
    ['https://bücher.example/', 'https://', 'xn--bcher-kva.example', '/'],
  ])('for %s shows whose address it is', (url, before, host, after) => {
    expect(ask({ mode: 'url', message: '', url })).toMatchObject({ kind: 'address', address: { before, host, after } })
  })

  test.each(['javascript:alert(1)', 'data:text/html,hi', 'file:///etc/passwd', '/relative', '', 7, undefined])(
    'does not offer to open %j',
    (url) => {
      expect(ask({ mode: 'url', message: 'Trust me.', url }).kind).toBe('unknown')
    },
  )

  test('of a kind that no page can answer says what it is', () => {
    expect(ask({}, 'sampling')).toEqual({ kind: 'unknown', key: 'k', message: 'It asks for sampling/createMessage.' })
  })
})

describe('a result', () => {
  const result = (raw: JsonObject) =>
    ({ data: undefined, isError: false, content: [], ...raw, raw }) as unknown as ToolResult<unknown>

  test('is shown part by part, its data last', () => {
    const content = [
      { type: 'text', text: 'Hello' },
      { type: 'resource_link', uri: 'report://1', name: 'r', title: 'Report', size: 9 },
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
      { type: 'image', mimeType: 'image/svg+xml', data: 'AAAA' },
      { type: 'resource', resource: { uri: 'a:b', text: 'Inside' } },
    ]
    const parts = partsOf(result({ content, structuredContent: { a: 1 } }))
    expect(parts.map(({ kind }) => kind)).toEqual(['text', 'link', 'image', 'data', 'text', 'data'])
    expect(parts[1]).toEqual({ kind: 'link', uri: 'report://1', name: 'Report', size: 9 })
    expect(parts[2]).toEqual({ kind: 'image', source: 'data:image/png;base64,AAAA' })
    expect(parts.at(-1)).toEqual({ kind: 'data', json: '{\n  "a": 1\n}' })
  })

  test('does not repeat what was said elsewhere', () => {
    expect(partsOf(result({ content: [{ type: 'text', text: 'No.' }] }), 'No.')).toEqual([])
  })
})

test('a text becomes headings, lists and paragraphs, and stays text', () => {
  expect(blocksOf('# Title\n\nOne\ntwo <b>\n\n- a\n- b\n')).toEqual([
    { kind: 'heading', text: 'Title' },
    { kind: 'paragraph', text: 'One two <b>' },
    { kind: 'list', items: ['a', 'b'] },
  ])
})

test('a report has an address within the page', () => {
  expect(reportAt(addressOf('report://a b/ü'))).toBe('report://a b/ü')
  expect(reportAt('')).toBeNull()
  expect(reportAt('#/elsewhere')).toBeNull()
  expect(reportAt('#/report/%')).toBeNull()
})

test('the address chooses among the protocol versions there are', () => {
  expect(generationIn('?mcp=2025-11-25')).toBe('2025-11-25')
  expect(generationIn('')).toBe('2026-07-28')
  expect(generationIn('?mcp=1999')).toBe('2026-07-28')
})

test.each([
  [{ value: 3, total: 10, percent: 30 }, '30 %'],
  [{ value: 3, total: null, percent: null }, '3'],
  [{ value: null, total: null, percent: null }, ''],
])('progress %j is written "%s"', (facts, text) => {
  expect(formatProgress({ ...facts, message: null })).toBe(text)
})

test('sizes are rounded', () => {
  expect([formatSize(12), formatSize(12_345)]).toEqual(['12 bytes', '12 kB'])
})

test.each(jobs)('$title can be started as its form stands', ({ schema, titleOf }) => {
  const fields = fieldsOf(schema)
  const { content, problems } = readForm(fields, initialValues(fields))
  expect(problems).toEqual({})
  expect(titleOf(content)).not.toContain('undefined')
})
