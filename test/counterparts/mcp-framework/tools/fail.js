import { MCPTool } from 'mcp-framework'
import { z } from 'zod'

/** Throws, which the framework turns into a completed task with an error result. */
export default class Fail extends MCPTool {
  name = 'fail'
  description = 'Fails'
  execution = { taskSupport: 'optional' }
  schema = z.object({ why: z.string().describe('What to say') })

  async execute({ why }) {
    throw new Error(why)
  }
}
