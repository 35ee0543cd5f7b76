import { setTimeout } from 'node:timers/promises'
import { MCPTool } from 'mcp-framework'
import { z } from 'zod'

/** Counts up to a number, one step at a time, with progress. */
export default class Count extends MCPTool {
  name = 'count'
  description = 'Counts'
  execution = { taskSupport: 'optional' }
  schema = z.object({
    to: z.number().describe('Where to stop'),
    ms: z.number().describe('ms for each step'),
  })

  async execute({ to, ms }) {
    for (let step = 1; step <= to; step++) {
      await setTimeout(ms)
      await this.reportProgress(step, to, `Step ${step}`)
    }
    return { counted: to }
  }
}
