import type { Work } from '../tasks/work.ts'
import { argumentsSchema, formRequest, textResult, type Tool } from './tool.ts'

interface Part {
  /** What is being done, step by step. */
  readonly steps: readonly [string, ...string[]]
  readonly booked: string
  /** Why it cannot be booked. */
  readonly refusal?: string
  /** What the traveller has to say before it is booked. */
  readonly question?: string
}

/** The parts of a trip; one of them never works out, so that a client can see what becomes of the others. */
const PARTS: Readonly<Record<string, Part>> = {
  flight: {
    steps: ['Looking for a flight', 'Holding the seat', 'Paying for the flight'],
    booked: 'Flight booked: 12:35, one stop, 84 EUR.',
    question: 'Take the flight at 12:35 for 84 EUR?',
  },
  hotel: { steps: ['Looking for a hotel', 'Reserving a room'], booked: 'Hotel booked: one room, two nights.' },
  car: {
    steps: ['Looking for a car'],
    booked: 'Car booked.',
    refusal: 'Every car is taken on these days. Nothing was charged.',
  },
  restaurant: {
    steps: ['Calling the restaurant', 'Waiting for a free table', 'Reserving the table'],
    booked: 'Table booked: two seats at eight.',
  },
}

async function isWanted(work: Work, question: string): Promise<boolean> {
  const properties = { confirm: { type: 'boolean', title: 'Yes, take it', default: true } }
  const answers = await work.ask('Waiting for your confirmation', {
    confirm: formRequest(question, properties, ['confirm']),
  })
  const answer = answers['confirm']
  return answer?.['action'] === 'accept' && (answer['content'] as { confirm: boolean }).confirm
}

/** Books one part of a trip. Four calls at once book a whole one: the flight asks, and the car is never to be had. */
export const bookPart: Tool = {
  name: 'book_part',
  title: 'Book a part of a trip',
  description:
    'Books a flight, a hotel, a car or a restaurant. The flight asks for a confirmation; the car ends with an error result (isError), since none is free.',
  inputSchema: argumentsSchema(
    {
      part: { type: 'string', enum: Object.keys(PARTS), description: 'What to book.' },
      destination: { type: 'string', minLength: 1, maxLength: 100, description: 'Where to.' },
      seconds: { type: 'number', minimum: 0, maximum: 600, default: 4, description: 'How long the work takes.' },
    },
    ['part', 'destination'],
  ),
  taskSupport: 'optional',
  interim: (args) => `The ${String(args['part'])} in ${String(args['destination'])} is being booked.`,
  async run(work) {
    const { part: name, destination } = work.args
    const { steps, booked, refusal, question } = PARTS[String(name)]!
    const total = steps.length
    const stepMs = (Number(work.args['seconds'] ?? 4) * 1000) / total
    let reached = Number(work.checkpoint?.['reached'] ?? 0)
    while (reached < total) {
      if (question && reached === 1 && !(await isWanted(work, question)))
        return textResult('It was not taken, so nothing was booked.')
      const message = steps[reached]!
      await work.step({ message, progress: reached, total })
      await work.pause(stepMs)
      reached++
      await work.step({ message, progress: reached, total, checkpoint: { reached } })
    }
    const structuredContent = { part: name, destination, booked: !refusal }
    if (refusal) return textResult(refusal, { isError: true, structuredContent })
    return textResult(booked, { structuredContent })
  },
}
