/** A layer around a function that someone else's object holds. */
export interface Layer {
  /** Nobody has put another layer over this one. */
  isTop(): boolean
  /** Takes it off, if it is on top. */
  remove(): void
}

/**
 * Puts `wrap` around what is in `object[key]`, now and whenever it is set. An accessor, because app code may replace the function
 * with or without calling the one it found; layers of this kind below keep working.
 */
export function around<T extends object, K extends keyof T>(object: T, key: K, wrap: (inner: T[K]) => T[K]): Layer {
  const below = Object.getOwnPropertyDescriptor(object, key)
  const inners = new WeakMap<object, T[K]>()
  let value = object[key]
  let inner: unknown = object
  let outer: T[K]

  const get = () => {
    const current: T[K] = below?.get ? below.get.call(object) : value
    if (current !== inner) {
      inner = current
      outer = wrap(current)
      if (outer) inners.set(outer, current)
    }
    return outer
  }
  const set = (next: T[K]) => {
    value = inners.has(next as object) ? inners.get(next as object)! : next
    below?.set?.call(object, value)
  }
  Object.defineProperty(object, key, { configurable: true, enumerable: !!below?.enumerable, get, set })

  const isTop = () => Object.getOwnPropertyDescriptor(object, key)?.get === get
  return {
    isTop,
    remove() {
      if (!isTop()) return
      delete object[key]
      if (below) Object.defineProperty(object, key, below.get ? below : { ...below, value })
      // A method of the class: visible again, unless the app has put a function of its own there since.
      else if (object[key] !== value) object[key] = value
    },
  }
}
