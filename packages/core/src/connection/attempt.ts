/** Starts something asynchronous at once; what throws or gives no promise counts as an answer like any other. */
export function attempt<Value>(start: () => Value | Promise<Value>): Promise<Value> {
  try {
    return Promise.resolve(start())
  } catch (error) {
    return Promise.reject(error)
  }
}
