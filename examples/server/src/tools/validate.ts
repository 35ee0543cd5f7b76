import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { isObject, type JsonObject } from '../json.ts'
import { CallRefused } from '../tasks/errors.ts'
import type { InputAnswers, InputRequests } from '../tasks/task.ts'
import type { Tool } from './tool.ts'

const schemas = new AjvJsonSchemaValidator()
const validators = new Map<string, (value: unknown) => string | undefined>()

/** @throws CallRefused when the arguments do not fit the tool's schema. */
export function assertArguments(tool: Tool, args: JsonObject): void {
  const problem = validatorOf(tool.inputSchema)(args)
  if (problem) throw new CallRefused('bad_arguments', `Invalid arguments for ${tool.name}: ${problem}`)
}

/** The answers among `given` that belong to an open question. @throws CallRefused when one does not fit its form. */
export function assertAnswers(open: InputRequests, given: Readonly<Record<string, unknown>>): InputAnswers {
  const answers: Record<string, JsonObject> = {}
  for (const [key, request] of Object.entries(open)) {
    const answer = given[key]
    if (answer === undefined) continue
    if (!isObject(answer)) throw new CallRefused('bad_answer', `The answer "${key}" must be an object.`)
    const schema = request.params['requestedSchema']
    if (answer['action'] === 'accept' && isObject(schema)) {
      const problem = validatorOf(schema)(answer['content'] ?? {})
      if (problem) throw new CallRefused('bad_answer', `The answer "${key}" does not fit its form: ${problem}`)
    }
    answers[key] = answer
  }
  return answers
}

function validatorOf(schema: JsonObject): (value: unknown) => string | undefined {
  const key = JSON.stringify(schema)
  let validator = validators.get(key)
  if (!validator) {
    const validate = schemas.getValidator(schema)
    // The validator calls what it checks "data".
    validator = (value) => validate(value).errorMessage?.replace(/(^|, )data/g, '$1value')
    // Forms may carry texts of a call, so their number has no bound.
    if (validators.size < 200) validators.set(key, validator)
  }
  return validator
}
