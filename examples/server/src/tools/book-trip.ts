import { APP_URI } from './app-uri.ts'
import { argumentsSchema, formRequest, textResult, type Tool } from './tool.ts'

const FLIGHTS = [
  { const: 'early', title: '07:10, direct, 129 EUR' },
  { const: 'noon', title: '12:35, one stop, 84 EUR' },
  { const: 'late', title: '20:50, direct, 99 EUR' },
]
const STEPS = 4

/** Asks the traveller twice on the way: which flight, then whether to pay. */
export const bookTrip: Tool = {
  name: 'book_trip',
  title: 'Book a trip',
  description: 'Looks for flights, lets the traveller choose one, and books it after a confirmation.',
  inputSchema: argumentsSchema(
    {
      destination: { type: 'string', minLength: 1, maxLength: 100, description: 'Where to.' },
      seconds: { type: 'number', minimum: 0, maximum: 600, default: 4, description: 'How long the work takes.' },
    },
    ['destination'],
  ),
  meta: { ui: { resourceUri: APP_URI } },
  taskSupport: 'optional',
  interim: (args) => `Flights to ${String(args['destination'])} are being looked for; there will be two questions.`,
  async run(work) {
    const destination = String(work.args['destination'])
    const stepMs = (Number(work.args['seconds'] ?? 4) * 1000) / STEPS
    const reached = Number(work.checkpoint?.['reached'] ?? 0)
    const doStep = async (step: number, message: string) => {
      if (reached >= step) return
      await work.step({ message, progress: step - 1, total: STEPS })
      await work.pause(stepMs)
      await work.step({ message, progress: step, total: STEPS, checkpoint: { reached: step } })
    }

    await doStep(1, `Looking for flights to ${destination}`)
    const trip = formRequest(
      `Which flight to ${destination}?`,
      {
        flight: { type: 'string', title: 'Flight', oneOf: FLIGHTS, default: 'noon' },
        travellers: { type: 'integer', title: 'Travellers', minimum: 1, maximum: 9, default: 1 },
        email: { type: 'string', title: 'Send the tickets to', format: 'email' },
        insurance: { type: 'boolean', title: 'Cancellation insurance', default: false },
      },
      ['flight', 'email'],
    )
    const choice = (await work.ask('Waiting for your choice', { trip }))['trip']
    if (choice?.['action'] !== 'accept') return textResult('No flight was chosen, so nothing was booked.')
    const chosen = choice['content'] as { flight: string; email: string; travellers?: number }

    await doStep(2, 'Holding the seats')
    const flight = FLIGHTS.find((offer) => offer.const === chosen.flight)
    const payment = formRequest(
      `Book ${flight?.title ?? chosen.flight} to ${destination} for ${chosen.travellers ?? 1}?`,
      { confirm: { type: 'boolean', title: 'Yes, book it' } },
      ['confirm'],
    )
    const consent = (await work.ask('Waiting for your confirmation', { payment }))['payment']
    const confirmed = consent?.['action'] === 'accept' && (consent['content'] as { confirm: boolean }).confirm
    if (!confirmed) return textResult('The seats were released, nothing was booked.')

    await doStep(3, 'Paying')
    await doStep(4, 'Sending the tickets')
    return textResult(`Booked: ${flight?.title ?? chosen.flight} to ${destination}. Tickets go to ${chosen.email}.`, {
      structuredContent: { destination, ...chosen },
    })
  },
}
