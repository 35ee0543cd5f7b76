import { callOut } from './call-out.ts'
import type { InspectionObserver } from './options.ts'

/** Words that tell how a run goes and nothing about whose it is. Whatever has another name is redacted. */
const shown = new Set(
  (
    'type context event epoch attempt whenBusy protocol status rawStatus kind code retryable cancelRequested cancelLanded cancelUnsupported refusedInput confirmed ' +
    'backingOff overdue ttlGrace asked resting deadlines ttl wait grace retry receivedAt seenAt created createdAt lastUpdatedAt pollInterval progress value percent total rounds ' +
    'news task outcome as error failure sort retryAfter retryAt reasons why failed at output input snapshot phase view isError'
  ).split(' '),
)

/** A copy that is safe to show: the words above, numbers and flags under them, and `[redacted]` for everything else. */
export function redact(value: unknown, depth = 12): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return '[redacted]'
  if (Array.isArray(value)) return value.map((item) => redact(item, depth - 1))
  const entries = Object.entries(value).map(([key, inner]) => [
    key,
    shown.has(key) ? redact(inner, depth - 1) : inner == null ? inner : '[redacted]',
  ])
  return Object.fromEntries(entries)
}

interface ActorLike {
  readonly id: string
  readonly sessionId: string
  readonly logic?: { readonly config?: unknown }
  readonly _parent?: ActorLike
  getSnapshot(): unknown
}

const facades = new WeakMap<object, ActorLike>()

/** Stands for an actor in what observers get: `@statelyai/inspect` reads the snapshot and the definition from the ref itself. */
function facade(ref: ActorLike | undefined): ActorLike | undefined {
  if (!ref) return undefined
  let known = facades.get(ref)
  if (!known) {
    const parent = facade(ref._parent)
    const { config } = ref.logic ?? {}
    known = {
      id: ref.id,
      sessionId: ref.sessionId,
      logic: typeof config === 'object' ? { config } : {},
      ...(parent && { _parent: parent }),
      getSnapshot: () => redactSnapshot(ref.getSnapshot()),
    }
    facades.set(ref, known)
  }
  return known
}

/** The parts of a snapshot that are data; its methods and child actors are not. */
function redactSnapshot(snapshot: unknown): unknown {
  const { status, value, context, output, error } = (snapshot ?? {}) as Record<string, unknown>
  // A state's name is the chart's own word, at whatever depth.
  return { ...(redact({ status, context, output, error }) as object), ...(value !== undefined && { value }) }
}

/** Passes XState's inspection events on, with facades for actors and nothing of the user's data, unless the caller opted in. */
export function redactingObserver(observer: InspectionObserver, payloads: boolean): (event: unknown) => void {
  const next = typeof observer === 'function' ? observer : (event: unknown) => observer.next?.(event)
  if (payloads) return (event) => callOut(next, event)
  return (given) => {
    const { type, rootId, actorRef, sourceRef, event, snapshot } = given as Record<string, unknown>
    callOut(next, {
      type,
      rootId,
      actorRef: facade(actorRef as ActorLike),
      ...('sourceRef' in (given as object) && { sourceRef: facade(sourceRef as ActorLike) }),
      ...(event !== undefined && { event: redact(event) }),
      ...(snapshot !== undefined && { snapshot: redactSnapshot(snapshot) }),
    })
  }
}
