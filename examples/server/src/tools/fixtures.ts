import { CallFailed } from '../tasks/errors.ts'
import { argumentsSchema, formRequest, textResult, type Tool } from './tool.ts'

type Fixture = Pick<Tool, 'name' | 'taskSupport' | 'run'> & Partial<Tool>

const fixture = (tool: Fixture): Tool => ({
  title: tool.name,
  description: 'A tool that the official conformance scenarios for tasks call.',
  inputSchema: argumentsSchema({}),
  ...tool,
})

const nameForm = (message: string) => formRequest(message, { name: { type: 'string' } }, ['name'])
const contentOf = (answer: Readonly<Record<string, unknown>> | undefined) =>
  (answer?.['content'] ?? {}) as Readonly<Record<string, unknown>>

/** The tools of the `tasks-*` scenarios of `@modelcontextprotocol/conformance`, as those describe them. */
export const fixtures: readonly Tool[] = [
  fixture({
    name: 'greet',
    inputSchema: argumentsSchema({ name: { type: 'string' } }, ['name']),
    taskSupport: 'forbidden',
    run: async ({ args }) => textResult(`Hello, ${String(args['name'])}!`),
  }),
  fixture({
    name: 'slow_compute',
    inputSchema: argumentsSchema({ seconds: { type: 'number', minimum: 0 }, label: { type: 'string' } }),
    taskSupport: 'optional',
    isSmall: (args) => args['seconds'] === 0,
    async run(work) {
      await work.step({ message: 'Computing' })
      await work.pause(Number(work.args['seconds'] ?? 1) * 1000)
      return textResult(`Computed ${String(work.args['label'] ?? 'nothing')}.`)
    },
  }),
  fixture({
    name: 'failing_job',
    taskSupport: 'required',
    async run(work) {
      await work.pause(1000)
      return textResult('The job failed.', { isError: true })
    },
  }),
  fixture({
    name: 'protocol_error_job',
    taskSupport: 'required',
    async run() {
      throw new CallFailed({ code: -32603, message: 'The job broke down.' })
    },
  }),
  fixture({
    name: 'confirm_delete',
    inputSchema: argumentsSchema({ filename: { type: 'string' } }, ['filename']),
    taskSupport: 'required',
    async run(work) {
      const filename = String(work.args['filename'])
      const confirm = formRequest(`Delete ${filename}?`, { confirm: { type: 'boolean' } }, ['confirm'])
      const answers = await work.ask('Waiting for a confirmation', { confirm })
      return textResult(contentOf(answers['confirm'])['confirm'] ? `${filename} deleted.` : `${filename} kept.`)
    },
  }),
  fixture({
    name: 'multi_input',
    taskSupport: 'required',
    async run(work) {
      const answers = await work.ask('Waiting for two names', { first: nameForm('Who?'), second: nameForm('And who?') })
      return textResult(['first', 'second'].map((key) => String(contentOf(answers[key])['name'])).join(' and '))
    },
  }),
  fixture({
    name: 'test_tool_with_task',
    taskSupport: 'required',
    askFirst: { user_name: nameForm('What is your name?') },
    async run(work) {
      const answers = await work.ask('Waiting for a name', { user_name: nameForm('What is your name?') })
      await work.pause(200)
      return textResult(`Hello, ${String(contentOf(answers['user_name'])['name'])}!`)
    },
  }),
]
