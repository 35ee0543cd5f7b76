import type { ErrorRecord } from '../errors.ts'
import type { ContentBlock, JsonObject, ToolResult } from '../task.ts'
import type { StandardSchema } from '../options.ts'
import { createFailure, type Failure } from './failure.ts'
import type { Outcome } from './news.ts'
import { isObject } from './json.ts'

/** Structured content, else JSON parsed from the only text block, else that text. */
export function readData(raw: JsonObject, content: readonly ContentBlock[]): unknown {
  if (raw['structuredContent'] !== undefined) return raw['structuredContent']
  const [block] = content
  if (content.length !== 1 || typeof block?.['text'] !== 'string') return undefined
  try {
    return JSON.parse(block['text'])
  } catch {
    return block['text']
  }
}

function readBlocks(raw: JsonObject): readonly ContentBlock[] {
  const { content } = raw
  return Array.isArray(content)
    ? content.filter((block): block is ContentBlock => isObject(block) && typeof block['type'] === 'string')
    : []
}

/** The tool's own words about its failure, else a sentence of ours. */
export function failureText(content: readonly ContentBlock[]): string {
  const block = content.find(({ text }) => typeof text === 'string' && text !== '')
  return block ? String(block['text']) : 'The tool reported an error without saying what it was.'
}

/**
 * Reads a finished call. What looks like no tool result at all is `malformed`, never an empty success (EXT-RESULT-4);
 * `isError` decides between success and failure, whatever the status word was (AUG-RESULT-4).
 */
export function readOutcome(raw: unknown): Outcome {
  if (!isObject(raw)) return malformed('a tool result', raw)
  const type = raw['resultType']
  if (type !== undefined && type !== 'complete') return malformed('a tool result of type `complete`', raw)
  if (!Array.isArray(raw['content']) && raw['structuredContent'] === undefined)
    return malformed('a tool result with content', raw)
  const content = readBlocks(raw)
  const isError = raw['isError'] === true
  const result: ToolResult<unknown> = { data: readData(raw, content), content, isError, raw }
  if (!isError) return { as: 'completed', result }
  return {
    as: 'failed',
    result,
    error: { kind: 'tool', message: failureText(content), data: raw['structuredContent'] },
  }
}

/** The outcome of an answer that breaks the protocol: says what was expected and keeps what came. */
export function malformed(expected: string, raw: unknown): Outcome {
  return { as: 'failed', error: malformedError(expected, raw) }
}

export function malformedError(expected: string, raw: unknown): ErrorRecord {
  return { kind: 'malformed', message: `The server's answer could not be understood: expected ${expected}.`, data: raw }
}

/** The failure of a read or a fetch whose answer breaks the protocol: it may be better the next time. */
export const malformedFailure = (expected: string, raw: unknown): Failure =>
  createFailure({ ...malformedError(expected, raw), sort: 'malformed' })

/** Checks a completed outcome against the caller's schema; a mismatch is `malformed` and keeps the result. */
export function checkOutput(outcome: Outcome, schema: StandardSchema<unknown> | undefined): Outcome | Promise<Outcome> {
  if (!schema || outcome.as !== 'completed') return outcome
  const judge = (verdict: unknown): Outcome => {
    if (isObject(verdict) && verdict['issues'] === undefined && 'value' in verdict)
      return { ...outcome, result: { ...outcome.result, data: verdict['value'] } }
    const error = malformedError(
      'structured content that fits the `output` schema',
      isObject(verdict) ? verdict['issues'] : undefined,
    )
    return { as: 'failed', result: outcome.result, error }
  }
  try {
    const verdict = schema['~standard'].validate(outcome.result.data)
    return verdict instanceof Promise ? verdict.then(judge, judge) : judge(verdict)
  } catch (error) {
    return judge({ issues: [String(error)] })
  }
}
