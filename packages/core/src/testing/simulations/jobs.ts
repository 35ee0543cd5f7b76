import { jobTools } from '../../protocols/job-tools.ts'
import type { TaskContext } from '../../machine/context.ts'
import type { JobInfo } from '../../view.ts'
import { reportTools } from '../scripted-server.ts'
import { simulate, stamp } from './simulation.ts'

const base = {
  tool: reportTools.start,
  args: { quarter: 'Q3' },
  options: { protocol: jobTools(reportTools) },
  server: { flavour: 'jobTools' },
} as const

const meta = { logTail: ['Began', 'Asked the ledger'], traceId: 'trace-41' }
const queued = { status: 'queued', stage: 'Waiting', message: 'The report is in the queue.', meta } as const
const running = { after: 500, status: 'running', stage: 'Charts', message: 'Drawing the charts.' } as const

/** What a runner remembers of the job after an answer. @param at ms after the call, when the job last changed */
function told(
  word: string,
  at: number,
  {
    summary,
    percent = null,
    ...job
  }: Pick<JobInfo, 'stage' | 'summary'> & Partial<JobInfo> & { percent?: number | null },
  more: Partial<TaskContext> = {},
): Partial<TaskContext> {
  const status = word === 'succeeded' ? 'completed' : word === 'timed_out' ? 'failed' : word
  const isEnd = status === 'completed' || status === 'failed' || status === 'cancelled'
  return {
    task: {
      taskId: 'job-1',
      status: isEnd ? status : 'working',
      statusMessage: summary!,
      pollInterval: 1000,
      createdAt: stamp(0),
      lastUpdatedAt: stamp(at),
    },
    job: { word, artifact: null, display: meta, summary, ...job },
    progress: { value: percent, total: percent === null ? null : 100, percent, message: summary },
    mayRetry: isEnd && word !== 'succeeded',
    ...more,
  }
}

const noData = { code: 'no_data', message: 'There is no data for this quarter.' }
const artifact = { title: 'Report Q3', artifactId: 'report-41' }
const done = { stage: running.stage, summary: 'Report Q3 is ready.' }
const inQueue = { stage: queued.stage, summary: queued.message }
const inCharts = { stage: running.stage, summary: running.message }

/** Reports by job tools. */
export const jobs = {
  queued: simulate({
    ...base,
    title: 'Queued, without a percentage',
    sentence: 'The job waits for its turn. You may cancel it or leave the page.',
    schedule: [queued],
    phase: 'working',
    context: told('queued', 0, inQueue),
  }),
  runningWithPercent: simulate({
    ...base,
    title: 'Running, with a percentage',
    sentence: 'The job is at 40 %. You may cancel it or leave the page.',
    schedule: [queued, { ...running, progress: 40 }],
    takes: 1000,
    phase: 'working',
    context: told('running', 500, { ...inCharts, percent: 40 }),
  }),
  runningWithoutPercent: simulate({
    ...base,
    title: 'Running, without a percentage',
    sentence: 'The job runs, and nobody can tell how far it is: the bar only says that it is busy. You may cancel it.',
    schedule: [queued, running],
    takes: 1000,
    phase: 'working',
    context: told('running', 500, inCharts),
  }),
  succeededWithArtifact: simulate({
    ...base,
    title: 'Succeeded, with an artifact',
    sentence: 'The report is there, by its title. You may begin another one.',
    schedule: [
      queued,
      {
        ...running,
        status: 'succeeded',
        progress: 100,
        message: done.summary,
        result: artifact,
      },
    ],
    takes: 1000,
    phase: 'completed',
    context: {
      ...told('succeeded', 500, {
        ...done,
        artifact: { id: artifact.artifactId, title: artifact.title },
        percent: 100,
      }),
      result: {
        data: artifact,
        content: [{ type: 'text', text: done.summary }],
        isError: false,
        raw: {
          content: [{ type: 'text', text: done.summary }],
          structuredContent: {
            jobId: 'job-1',
            status: 'succeeded',
            percent: 100,
            phase: done.stage,
            summary: done.summary,
            canCancel: false,
            canRetry: false,
            startedAt: stamp(0),
            updatedAt: stamp(500),
            pollIntervalMs: 1000,
            result: artifact,
          },
          _meta: meta,
        },
      },
    },
  }),
  failed: simulate({
    ...base,
    title: 'Failed',
    sentence:
      'The job ended with an error in words for people. The server does not let it run again, so there is no button for that.',
    schedule: [
      queued,
      {
        ...running,
        status: 'failed',
        job: { canRetry: false },
        error: noData,
      },
    ],
    takes: 1000,
    phase: 'failed',
    context: told('failed', 500, inCharts, {
      mayRetry: false,
      error: { kind: 'tool', message: noData.message, data: { error: noData } },
    }),
  }),
  cancelRequested: simulate({
    ...base,
    title: 'Cancel requested',
    sentence: 'Somebody has cancelled, and the worker is still stopping. It cannot be cancelled twice.',
    schedule: [queued, running],
    server: { ...base.server, onCancel: [{ status: 'cancel_requested', message: 'Stopping after this chart.' }] },
    takes: 1000,
    act: 'cancel',
    phase: 'cancelling',
    context: told(
      'cancel_requested',
      1000,
      { ...inCharts, summary: 'Stopping after this chart.' },
      { cancelRequested: true },
    ),
  }),
  cancelled: simulate({
    ...base,
    title: 'Cancelled',
    sentence: 'The work has stopped, since somebody wanted it to. You may try again.',
    schedule: [queued, running],
    server: { ...base.server, onCancel: [{ status: 'cancelled', message: 'The report was cancelled.' }] },
    takes: 1000,
    act: 'cancel',
    phase: 'cancelled',
    context: told(
      'cancelled',
      1000,
      { ...inCharts, summary: 'The report was cancelled.' },
      {
        cancelRequested: true,
        confirmed: true,
        error: { kind: 'cancelled', message: 'The report was cancelled.' },
      },
    ),
  }),
  timedOutWithRetry: simulate({
    ...base,
    title: 'Timed out, with a retry',
    sentence: 'The server gave the job up after too long. You may try again.',
    schedule: [queued, { ...running, status: 'timed_out', message: 'The charts took too long.' }],
    takes: 1000,
    phase: 'failed',
    context: told(
      'timed_out',
      500,
      { ...inCharts, summary: 'The charts took too long.' },
      {
        error: {
          kind: 'tool',
          message: 'The charts took too long.',
          data: { error: { code: 'timed_out' } },
          retryable: true,
        },
      },
    ),
  }),
  staleId: simulate({
    ...base,
    title: 'Stale job id',
    sentence: 'The server does not know the job, or no longer. You may begin it anew.',
    schedule: [queued, { after: 500, fault: 'gone', times: Infinity }],
    takes: 10_000,
    phase: 'expired',
    context: told('queued', 0, inQueue, { error: { kind: 'expired', message: 'There is no such job.' } }),
  }),
  missingPermission: simulate({
    ...base,
    title: 'Missing permission',
    sentence:
      'The server no longer lets you look, and the job may still be running. You may look again once you are allowed to.',
    schedule: [queued, { after: 500, fault: 'unauthorized', times: Infinity }],
    takes: 1000,
    phase: 'detached',
    context: told('queued', 0, inQueue, { error: { kind: 'unauthorized', message: 'Forbidden', retryable: true } }),
  }),
}
