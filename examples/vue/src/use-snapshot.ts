import { onScopeDispose, shallowRef, type ShallowRef } from 'vue'

/** What a store shows, for as long as the component is there. */
export function useSnapshot<Snapshot>(store: {
  getSnapshot(): Snapshot
  subscribe(listener: () => void): () => void
}): Readonly<ShallowRef<Snapshot>> {
  const snapshot = shallowRef(store.getSnapshot())
  onScopeDispose(store.subscribe(() => (snapshot.value = store.getSnapshot())))
  return snapshot
}
