import type { Place, Surroundings, TaskConnection } from '@mcp-task-machine/core'
import { untrack } from 'svelte'
import { findTaskContext, read, type MaybeGetter } from './task-context.ts'

interface Settings {
  readonly connection?: TaskConnection | undefined
}

/** A component's place at a task or a group, which `find` gives: the one that is held, if it fits. */
export function usePlace<View extends object, Options extends Settings, Found extends Place<View, Options>>(
  name: string,
  options: MaybeGetter<Options>,
  find: (held: Found | undefined, surroundings: Surroundings, settings: Options) => Found,
) {
  const context = findTaskContext(name, () => read(options).connection)
  let changes = $state(0)
  const update = () => untrack(() => void changes++)

  let held: Found | undefined
  const place = $derived((held = find(held, context(), read(options))))

  // Nothing derived can be read once its component or root is destroyed: from then on it is read from what was held last.
  let isDestroyed = false
  $effect.pre(() => () => (isDestroyed = true))

  // Effects: never on a server, and only for what is there to stay.
  $effect(() => {
    place.options = read(options)
    place.connect(context().connection)
  })
  $effect(() => {
    const { watch } = place
    return untrack(() => watch(update))
  })

  /** What `get` takes from the place: it changes when that is another value. */
  function of<Value>(get: (found: Found) => Value): () => Value {
    const value = $derived((void changes, get(place)))
    return () => (isDestroyed && held ? get(held) : value)
  }
  const view = of((found) => found.getSnapshot())

  return {
    of,
    /** Adds a getter for the view, and one for each of its fields. */
    show<Target extends object>(target: Target, names: readonly (keyof View)[]) {
      const show = (field: PropertyKey, get: () => unknown) =>
        Object.defineProperty(target, field, { enumerable: true, get })
      show('current', view)
      for (const field of names) show(field, () => view()[field])
      return target as Target & View & { readonly current: View }
    },
  }
}
