import { MCPTool } from 'mcp-framework'
import { z } from 'zod'

/** Says nothing about tasks, which forbids them. */
export default class Shout extends MCPTool {
  name = 'shout'
  description = 'Shouts'
  schema = z.object({ text: z.string().describe('What to shout') })

  async execute({ text }) {
    return text.toUpperCase()
  }
}
