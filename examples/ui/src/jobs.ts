import type { JsonObject } from '@mcp-task-machine/core'

/** A tool of the example server, as the page offers it. */
export interface Job {
  readonly tool: string
  readonly title: string
  /** What it shows, in a sentence. */
  readonly lead: string
  /** Its form, as the schema of an elicitation. */
  readonly schema: JsonObject
  /** The heading of a run with these arguments. */
  titleOf(args: JsonObject): string
}

const seconds = (usual: number) => ({
  type: 'number',
  title: 'Seconds of work',
  minimum: 0,
  maximum: 600,
  default: usual,
})

/** The jobs to choose from; the first is the usual one. */
export const jobs: readonly [Job, ...Job[]] = [
  {
    tool: 'start_research',
    title: 'Research a question',
    lead: 'Reads sources one after another and writes a report.',
    schema: {
      type: 'object',
      properties: {
        query: {
          type: 'string',
          title: 'Question',
          minLength: 3,
          maxLength: 500,
          default: 'What moves the tides?',
        },
        seconds: seconds(12),
        sections: {
          type: 'integer',
          title: 'Sources to read',
          description: 'From about 20 the report is too long to send and comes as a link.',
          minimum: 1,
          maximum: 60,
          default: 8,
        },
      },
      required: ['query', 'seconds', 'sections'],
    },
    titleOf: ({ query }) => String(query),
  },
  {
    tool: 'book_trip',
    title: 'Book a trip',
    lead: 'Asks you twice on the way: for a flight, and whether to pay.',
    schema: {
      type: 'object',
      properties: {
        destination: { type: 'string', title: 'Destination', minLength: 1, maxLength: 100, default: 'Lisbon' },
        seconds: seconds(4),
      },
      required: ['destination', 'seconds'],
    },
    titleOf: ({ destination }) => `Trip to ${String(destination)}`,
  },
  {
    tool: 'import_contacts',
    title: 'Import contacts',
    lead: 'Ends with a problem that the tool itself reports.',
    schema: {
      type: 'object',
      properties: {
        rows: { type: 'integer', title: 'Contacts', minimum: 1, maximum: 10_000, default: 300 },
        seconds: seconds(3),
      },
      required: ['rows', 'seconds'],
    },
    titleOf: ({ rows }) => `Import of ${String(rows)} contacts`,
  },
  {
    tool: 'sync_calendar',
    title: 'Synchronise the calendar',
    lead: 'Ends with an error of the call, without any result.',
    schema: { type: 'object', properties: { seconds: seconds(3) }, required: ['seconds'] },
    titleOf: () => 'Calendar synchronisation',
  },
]

/** The job of a tool; the usual one where the tool is unknown. */
export function jobOf(tool: string): Job {
  return jobs.find((job) => job.tool === tool) ?? jobs[0]
}
