import { fieldsOf, initialValues, readForm, type FormValues } from '@mcp-task-machine/example-ui'
import { describe, expect, test } from 'vitest'

/** Reads a form of one field. */
function read(schema: object, value: FormValues[string], isRequired = false) {
  const fields = fieldsOf({ type: 'object', properties: { it: schema }, required: isRequired ? ['it'] : [] })
  const { content, problems } = readForm(fields, { it: value })
  return problems['it'] ?? content
}

describe('a schema becomes fields', () => {
  const fieldOf = (schema: object) => fieldsOf({ properties: { minutesLeft_now: schema } })[0]!

  test.each([
    [{ type: 'string' }, 'text'],
    [{ type: 'number' }, 'number'],
    [{ type: 'integer' }, 'number'],
    [{ type: 'boolean' }, 'checkbox'],
    [{ type: 'string', enum: ['a'] }, 'choice'],
    [{ type: 'string', oneOf: [{ const: 'a', title: 'A' }] }, 'choice'],
    [{ type: 'array', items: { enum: ['a'] } }, 'choices'],
    [{ type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } }, 'choices'],
    [{ type: 'something new' }, 'text'],
  ])('%j as a %s', (schema, kind) => {
    expect(fieldOf(schema).kind).toBe(kind)
  })

  test('a name without a title is made readable, a description is its hint', () => {
    expect(fieldOf({ type: 'string', description: 'About.' })).toMatchObject({
      label: 'Minutes left now',
      hint: 'About.',
    })
  })

  test('titles come from oneOf, from enumNames, or are the values', () => {
    const titlesOf = (schema: object) => (fieldOf(schema) as { options?: unknown }).options
    expect(titlesOf({ oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] })).toEqual([
      { value: 'a', label: 'A' },
      { value: 'b', label: 'b' },
    ])
    expect(titlesOf({ enum: ['a', 'b'], enumNames: ['A'] })).toEqual([
      { value: 'a', label: 'A' },
      { value: 'b', label: 'b' },
    ])
  })

  test.each([undefined, null, 'text', {}, { properties: null }, { properties: { a: null } }])(
    '%j has none',
    (schema) => {
      expect(fieldsOf(schema)).toEqual([])
    },
  )

  test('defaults stand in it, and what was given before them', () => {
    const fields = fieldsOf({
      properties: {
        text: { type: 'string', default: 'a' },
        count: { type: 'integer', default: 0 },
        isOn: { type: 'boolean', default: true },
        many: { type: 'array', items: { enum: ['a', 'b'] }, default: ['b'] },
        bare: { type: 'string' },
      },
    })
    expect(initialValues(fields)).toEqual({ text: 'a', count: '0', isOn: true, many: ['b'], bare: '' })
    expect(initialValues(fields, { count: 7, isOn: false })).toMatchObject({ text: 'a', count: '7', isOn: false })
  })
})

describe('answers are checked and read', () => {
  test.each([
    [{ type: 'string' }, '', {}],
    [{ type: 'string' }, 'a', { it: 'a' }],
    [{ type: 'string', minLength: 2 }, 'a', 'Enter at least 2 characters.'],
    [{ type: 'string', minLength: 2 }, '👍👍', { it: '👍👍' }],
    [{ type: 'string', maxLength: 1 }, '👍👍', 'Enter at most 1 character; these are 2.'],
    [{ type: 'string', pattern: '^a+$' }, 'ab', 'This must look like ^a+$.'],
    [{ type: 'string', pattern: '^a+$' }, 'aa', { it: 'aa' }],
    [{ type: 'string', pattern: '(' }, 'anything', { it: 'anything' }],
    [{ type: 'string', format: 'email' }, 'ada@example', 'Enter an e-mail address, like name@example.com.'],
    [{ type: 'string', format: 'email' }, 'ada@example.com', { it: 'ada@example.com' }],
    [{ type: 'string', format: 'uri' }, 'example.com', 'Enter a full address, like https://example.com.'],
    [{ type: 'string', format: 'uri' }, 'urn:x', { it: 'urn:x' }],
    [{ type: 'string', format: 'date' }, '2026-13-01', 'Enter a date.'],
    [{ type: 'string', format: 'date' }, '2026-12-01', { it: '2026-12-01' }],
    [{ type: 'string', format: 'date-time' }, 'noon', 'Enter a date and a time.'],
    [{ type: 'string', format: 'date-time' }, '2026-12-01T10:00:00Z', { it: '2026-12-01T10:00:00.000Z' }],
    [{ type: 'number' }, '1.5', { it: 1.5 }],
    [{ type: 'number' }, 'one', 'Enter a number.'],
    [{ type: 'number' }, '1e999', 'Enter a number.'],
    [{ type: 'integer' }, '1.5', 'Enter a whole number.'],
    [{ type: 'integer', minimum: 1 }, '0', 'Enter 1 or more.'],
    [{ type: 'integer', maximum: 9 }, '10', 'Enter 9 or less.'],
    [{ type: 'integer', minimum: 1, maximum: 9 }, '10', 'Enter a number from 1 to 9.'],
    [{ type: 'integer', minimum: 1, maximum: 9 }, '9', { it: 9 }],
    [{ type: 'boolean' }, false, { it: false }],
    [{ type: 'string', enum: ['a'] }, 'a', { it: 'a' }],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, [], {}],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, ['b'], { it: ['b'] }],
    [{ type: 'array', items: { enum: ['a', 'b'] }, minItems: 2 }, ['b'], 'Choose at least 2.'],
    [{ type: 'array', items: { enum: ['a', 'b'] }, maxItems: 1 }, ['a', 'b'], 'Choose at most 1.'],
  ])('%j with %j', (schema, value, expected) => {
    expect(read(schema, value)).toEqual(expected)
  })

  test.each([
    [{ type: 'string' }, '', 'Fill this in.'],
    [{ type: 'string' }, '  ', 'Fill this in.'],
    [{ type: 'number' }, '', 'Fill this in.'],
    [{ type: 'string', enum: ['a'] }, '', 'Choose one of these.'],
    [{ type: 'array', items: { enum: ['a'] } }, [], 'Choose at least 1.'],
    [{ type: 'boolean' }, false, { it: false }],
  ])('required: %j with %j', (schema, value, expected) => {
    expect(read(schema, value, true)).toEqual(expected)
  })
})
