import { createSubscriber } from 'svelte/reactivity'

/** What a store shows, followed while something reads `current`. */
export function followed<Snapshot>(
  store: () => { getSnapshot(): Snapshot; subscribe(listener: () => void): () => void },
): { readonly current: Snapshot } {
  const track = createSubscriber((update) => store().subscribe(update))
  return {
    get current() {
      track()
      return store().getSnapshot()
    },
  }
}
