/** A connection with no SDK in it: what is left is the cost of the machine itself. */
export function createStubConnection(server) {
  return {
    // oxlint-disable-next-line typescript/require-await -- async, so that the answer comes one microtask later.
    request: async (method, params) => server.answer(method, params),
    onNotification: () => () => {},
    onClose: () => () => {},
    supportsTasks: true,
    generation: '2026-07-28',
    taskSupport: () => Promise.resolve('optional'),
    endpoint: 'bench',
    clock: {
      now: () => Date.now(),
      setTimeout: (run, ms) => setTimeout(run, ms),
      clearTimeout: (id) => clearTimeout(id),
    },
    random: () => 0,
  }
}
