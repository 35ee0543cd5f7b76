import { createMachine, type setup as Setup } from 'xstate'
import { createActions } from './actions/index.ts'
import { createActors } from '../actors/index.ts'
import { initialContext, snapshotVersion, type TaskContext } from './context.ts'
import type { ActorEvent, TaskEmitted, TaskEvent } from './events.ts'
import { guards } from './guards.ts'
import {
  answers,
  beingCancelled,
  crash,
  endings,
  goingOn,
  gone,
  live,
  lookAgain,
  otherReferences,
  reading,
  references,
  settled,
  stops,
} from './routes.ts'
import type { RuntimeOf } from './runtime.ts'

/** XState's own, which checks the names in the chart, without the helpers that it brings: 0.7 kB that nothing here uses. */
const setup = ((implementations: object) => ({
  createMachine: (config: object) => createMachine(config, implementations),
})) as unknown as typeof Setup

/** The lifecycle of one long tool call. Plain data: every function in it has a name in `guards`, `actions` or `actors`. */
export function buildMachine(runtimeOf: RuntimeOf) {
  return setup({
    types: {} as {
      context: TaskContext
      events: TaskEvent | ActorEvent
      emitted: TaskEmitted
      tags: 'working' | 'terminal' | 'cancellable'
    },
    actors: createActors(runtimeOf),
    actions: createActions(runtimeOf),
    guards,
  }).createMachine({
    id: 'task',
    version: String(snapshotVersion),
    context: initialContext,
    initial: 'idle',
    on: {
      fire: [
        { guard: 'replaces', target: '.submitting', actions: ['letGo', 'startRun', 'ownRun'] },
        { guard: 'queues', actions: 'enqueue' },
      ],
      adopt: [
        { guard: 'isCompleted', target: '.terminal.completed', actions: ['letGo', 'adoptRun', 'recordNews'] },
        { guard: 'isFailed', target: '.terminal.failed', actions: ['letGo', 'adoptRun', 'recordNews'] },
        { guard: 'isCancelled', target: '.terminal.cancelled', actions: ['letGo', 'adoptRun', 'recordNews'] },
        { guard: 'needsPayload', target: '.working.settling', actions: ['letGo', 'adoptRun', 'recordNews'] },
        { guard: 'hasTask', target: '.working', actions: ['letGo', 'adoptRun', 'recordNews'] },
      ],
      resume: references,
      reset: { target: '.idle', actions: 'clearRun' },
      detach: { actions: 'restAsked' },
      watch: { actions: 'noteWatched' },
      unwatch: { actions: 'restUnwatched' },
      surroundings: { actions: 'noteSurroundings' },
    },
    states: {
      idle: {
        on: { fire: { target: 'submitting', actions: ['startRun', 'ownRun'] }, detach: {} },
      },

      submitting: {
        initial: 'sending',
        invoke: { id: 'deadline', src: 'deadline', onError: crash },
        on: {
          cancel: { actions: ['wishCancel', 'cancelSubmission'] },
          'submit.progress': { guard: 'isCurrent', actions: 'recordProgress' },
          'submit.lost': { target: '.lost', actions: 'recordLost' },
          'deadline.wait': [
            { guard: 'isUnsent', target: '.lost', actions: 'recordUnanswered' },
            { target: '.lost', actions: 'recordLost' },
          ],
          'deadline.grace': { actions: 'noteOverdue' },
          'submit.unanswered': { actions: 'noteMayRun' },
          resume: [...references, { actions: 'goOn' }],
        },
        states: {
          sending: {
            tags: live,
            on: {
              // The answer to an earlier try of an idempotent call is as good as any.
              'submit.late': answers,
              'submit.asked': { guard: 'isCurrent', actions: 'recordAsked' },
              respond: { guard: 'answersSome', actions: 'answerAsked' },
              'prompt.refused': { actions: ['refuseInput', 'wishCancel', 'cancelSubmission'] },
              'prompt.failed': { actions: 'recordError' },
            },
            invoke: [
              {
                id: 'submit',
                src: 'submit',
                onDone: answers,
                onError: [
                  { guard: 'isLost', target: 'lost', actions: 'recordTrouble' },
                  { guard: 'provesNothingRuns', target: '#task.terminal.cancelled', actions: 'recordNothingRuns' },
                  { guard: 'retriesWork', target: 'retrying', actions: ['recordTrouble', 'planRetry', 'ownRun'] },
                  { target: '#task.terminal.failed', actions: 'recordTrouble' },
                ],
              },
              { id: 'prompt', src: 'prompt', onError: crash },
            ],
          },
          prompting: {
            tags: live,
            invoke: { id: 'prompt', src: 'prompt', onError: crash },
            on: {
              respond: [
                { guard: 'answersAll', target: 'sending', actions: 'recordAnswers' },
                { guard: 'answersSome', actions: 'recordAnswers' },
              ],
              'deadline.wait': { target: 'lost', actions: 'recordUnanswered' },
              cancel: { target: '#task.terminal.cancelled', actions: ['wishCancel', 'recordNothingRuns'] },
              'prompt.refused': { target: '#task.terminal.cancelled', actions: ['refuseInput', 'recordNothingRuns'] },
              'prompt.failed': { actions: 'recordError' },
            },
          },
          retrying: {
            tags: live,
            on: {
              'deadline.retry': { target: 'sending', actions: 'clearRetry' },
              'deadline.wait': { target: 'lost', actions: 'recordUnanswered' },
              cancel: { target: '#task.terminal.cancelled', actions: ['wishCancel', 'recordNothingRuns'] },
            },
          },
          lost: {
            on: {
              cancel: { actions: ['noteWish', 'cancelSubmission'] },
              'submit.late': [
                { guard: 'isFailure', target: '#task.terminal.failed', actions: 'recordTrouble' },
                ...answers,
              ],
              retry: {
                guard: 'knowsArguments',
                target: '#task.submitting',
                reenter: true,
                actions: ['retryRun', 'ownRun'],
              },
              // Nothing is known that could be gone on with.
              resume: [...references, {}],
              'submit.lost': {},
              'deadline.wait': {},
            },
          },
        },
      },

      working: {
        initial: 'watching',
        invoke: [
          { id: 'poll', src: 'poll', onError: crash },
          { id: 'deadline', src: 'deadline', onError: crash },
        ],
        on: {
          ...reading,
          'poll.gone': gone,
          cancel: [
            { guard: 'cannotCancel', actions: 'reportUnsupported' },
            { target: 'cancelling', actions: ['reopenPrompts', 'wishCancel'] },
          ],
        },
        states: {
          watching: {
            tags: live,
            always: { guard: 'hasPrompts', target: 'input_required' },
            on: { 'poll.news': [...endings, beingCancelled, { actions: 'recordNews' }] },
          },
          input_required: {
            tags: live,
            initial: 'open',
            invoke: { id: 'prompt', src: 'prompt', onError: crash },
            on: {
              'poll.news': [
                ...endings,
                { guard: 'breaksPrompts', target: '#task.terminal.failed', actions: 'recordBrokenPrompt' },
                beingCancelled,
                { guard: 'asksInput', actions: 'recordNews' },
                { target: 'watching', actions: 'recordNews' },
              ],
              'prompt.refused': [
                { guard: 'cannotCancel', actions: ['refuseInput', 'reportUnsupported'] },
                { target: '#task.cancelling', actions: ['refuseInput', 'wishCancel'] },
              ],
              'prompt.failed': { actions: 'recordError' },
            },
            states: {
              open: {
                on: { respond: { guard: 'answersSome', target: 'answering', actions: 'recordAnswers' } },
              },
              answering: {
                invoke: {
                  id: 'respond',
                  src: 'respond',
                  onDone: [
                    { guard: 'hasUnsent', target: 'answering', reenter: true, actions: 'markSent' },
                    { target: 'open', actions: 'markSent' },
                  ],
                  onError: [
                    { guard: 'isGone', target: 'open', actions: ['recordError', 'reopenPrompts', 'readNow'] },
                    { target: 'open', actions: ['recordError', 'reopenPrompts'] },
                  ],
                },
                on: { respond: { guard: 'answersSome', actions: 'recordAnswers' } },
              },
            },
          },
          settling: {
            tags: 'working',
            invoke: {
              id: 'settle',
              src: 'settle',
              onDone: endings,
              onError: [
                { guard: 'isOvertime', target: 'detached', actions: 'recordWaitOver' },
                { guard: 'isGoneFailed', target: '#task.terminal.failed', actions: 'recordWorkFailed' },
                { guard: 'isGone', target: '#task.terminal.expired', actions: 'recordResultLost' },
                ...stops,
              ],
            },
            on: {
              'poll.news': endings.slice(0, 5),
              // The work is done: there is nothing left to cancel or to wait for, only its payload.
              cancel: {},
              refresh: {},
              'poll.asked': { actions: 'noteAsked' },
              'deadline.ttl': {},
              'deadline.wait': { actions: 'noteOvertime' },
            },
          },
          detached: {
            tags: 'cancellable',
            on: {
              'poll.news': [...endings, { actions: 'recordNews' }],
              cancel: [
                { guard: 'hasEnded' },
                { guard: 'cannotCancel' },
                { target: '#task.cancelling', actions: ['goOn', 'wishCancel'] },
              ],
              'deadline.ttl': {},
              'deadline.wait': {},
              'poll.asked': { actions: 'noteAsked' },
              resume: [...otherReferences, ...goingOn],
              refresh: goingOn,
              reconnected: goingOn,
            },
          },
        },
      },

      cancelling: {
        tags: 'working',
        invoke: [
          { id: 'poll', src: 'poll', onError: crash },
          { id: 'deadline', src: 'deadline', onError: crash },
          {
            id: 'cancel',
            src: 'cancel',
            onDone: [...endings, { actions: ['recordNews', 'noteCancelHeard'] }],
            onError: [
              // The wish outlives the connection.
              { guard: 'isClosed' },
              { guard: 'isGone', actions: ['recordRefusal', 'decideCancel'] },
              { guard: 'isRefused', target: '#task.working', actions: ['reportUnsupported', 'dropWish'] },
              { target: '#task.working', actions: ['recordError', 'dropWish'] },
            ],
          },
        ],
        on: {
          ...reading,
          reconnected: [
            { guard: 'wasHeard', actions: ['goOn', 'readNow'] },
            { target: 'cancelling', reenter: true, actions: ['goOn', 'readNow'] },
          ],
          'cancel.unanswered': { actions: 'noteCancelLanded' },
          cancel: {},
          'poll.news': [
            ...endings,
            { guard: 'wasRefused', target: '#task.working', actions: ['recordNews', 'dropWish'] },
            { actions: 'recordNews' },
          ],
          'poll.recovered': [
            { guard: 'wasRefused', target: '#task.working', actions: ['noteRecovery', 'dropWish'] },
            { actions: 'noteRecovery' },
          ],
          'poll.gone': gone,
          'poll.asked': [
            { guard: 'decidesCancel', target: '#task.working', actions: 'dropWish' },
            ...reading['poll.asked'],
          ],
        },
      },

      // Not final: `fire`, `retry`, `reset` and sometimes `resume` lead on.
      terminal: {
        tags: 'terminal',
        initial: 'completed',
        on: {
          fire: [
            { guard: 'waitsItsTurn', actions: 'enqueue' },
            { target: 'submitting', actions: ['startRun', 'ownRun'] },
          ],
          retry: { guard: 'canRunAgain', target: 'submitting', actions: ['retryRun', 'ownRun'] },
          detach: {},
        },
        states: {
          completed: { entry: settled('completed'), on: { retry: {} } },
          failed: { entry: settled('failed') },
          cancelled: {
            entry: settled('cancelled'),
            on: { resume: lookAgain },
          },
          expired: {
            entry: settled('expired'),
            on: { resume: lookAgain },
          },
        },
      },
    },
  })
}
