import type { AnyActorRef } from 'xstate'
import type { TaskSnapshot } from '../machine/to-view.ts'

/** A machine's actor, as the actors it invokes see it. */
export interface Machine {
  getSnapshot(): TaskSnapshot & { matches(value: string | object): boolean; readonly status: string }
  subscribe(listener: () => void): { unsubscribe(): void }
  send(event: { type: string }): void
}

/** The machine that invoked an actor. Actors read what they need from its snapshot: a restored invoke would only get its old input. */
export function machineOf(self: AnyActorRef): Machine & AnyActorRef {
  return self._parent as Machine & AnyActorRef
}
