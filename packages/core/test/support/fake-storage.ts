import type { TaskStorage } from '../../src/index.ts'

/** A storage that remembers what was done to it; `isAsync` answers a microtask later. */
export function createFakeStorage(content: Record<string, string> = {}, isAsync = false) {
  const entries = new Map(Object.entries(content))
  const done: string[] = []
  const later = <Value>(value: Value) => (isAsync ? Promise.resolve().then(() => value) : value)
  const storage: TaskStorage = {
    getItem(key) {
      done.push(`get ${key}`)
      return later(entries.get(key) ?? null)
    },
    setItem(key, value) {
      done.push(`set ${key}`)
      entries.set(key, value)
      return later(undefined) as void
    },
    removeItem(key) {
      done.push(`remove ${key}`)
      entries.delete(key)
      return later(undefined) as void
    },
  }
  return {
    storage,
    entries,
    done,
    /** What is stored under the only key. */
    get stored(): Record<string, any> | null {
      const [text] = entries.values()
      return text === undefined ? null : JSON.parse(text)
    },
  }
}
