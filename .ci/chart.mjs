// Draws docs/statechart.svg from the chart itself; with --check only says whether the file is what would be drawn.
import { instance } from '@viz-js/viz'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createTaskMachine } from '../packages/core/dist/index.js'

const file = new URL('../docs/statechart.svg', import.meta.url)
const chart = createTaskMachine({ connection: { request() {} }, tool: 'any' }).config

/** What a person would call an event. */
const words = (event) =>
  event
    .replace(/^xstate\.done\.actor\.(.*)/, '$1 done')
    .replace(/^xstate\.error\.actor\.(.*)/, '$1 failed')
    .replace(/^poll\.news$/, 'news')
    .replace(/^(poll|deadline|prompt|submit)\./, '$1 ')

/** Every transition that leads somewhere: `[from, event, to]`, states as paths. */
function transitions(state, path) {
  const invoked = [state.invoke ?? []].flat().flatMap(({ id, onDone = [], onError = [] }) => [
    [`xstate.done.actor.${id}`, onDone],
    [`xstate.error.actor.${id}`, onError],
  ])
  const own = [...Object.entries(state.on ?? {}), ['always', state.always ?? []], ...invoked]
  const found = own.flatMap(([event, list]) =>
    [list].flat().flatMap(({ target, guard }) => {
      // Running failed work again is the caller's policy, and the caption tells it.
      if (target === undefined || (guard === 'retriesWork' && path[0] !== 'submitting')) return []
      const to = target.startsWith('#task.')
        ? target.slice(6)
        : target.startsWith('.')
          ? [...path, target.slice(1)].join('.')
          : [...path.slice(0, -1), target].join('.')
      return [[path.join('.'), words(event), to]]
    }),
  )
  return [
    ...found,
    ...Object.entries(state.states ?? {}).flatMap(([name, child]) => transitions(child, [...path, name])),
  ]
}

const top = (path) => path.split('.')[0]
/** Within a state its inner states are drawn; what leads out of it leads from the whole to the whole. */
const ends = (from, to) =>
  top(from) === top(to) ? [from, to].map((path) => path.split('.').slice(0, 2).join('.')) : [top(from), top(to)]
/** These mean that an actor of ours broke, which no reader of the picture looks for. */
const crashes = ['poll failed', 'deadline failed', 'prompt failed']

const edges = new Map()
for (const [source, event, target] of transitions(chart, [])) {
  // Machine-wide events lead away from everywhere: the caption tells them.
  if (source === '' || event === 'resume' || crashes.includes(event)) continue
  const [from, to] = ends(source, target)
  if (from === to) continue
  const key = `${from}|${to}`
  edges.set(key, (edges.get(key) ?? new Set()).add(event))
}

const inner = (path) => Object.keys(chart.states[path]?.states ?? {})
const isGroup = (path) => inner(path).length > 0
/** Arrows end at nodes: those of a group at its first one, cut off at its border. */
const node = (path) => (isGroup(path) ? `"${path}.${inner(path)[0]}"` : `"${path}"`)
const label = (events) => [...events].join('\\n')

const groups = Object.keys(chart.states).map((name) => {
  const nodes = inner(name).map((child) => `"${name}.${child}" [label="${child}"]`)
  if (nodes.length === 0) return `"${name}" [label="${name}" style="rounded,filled" fillcolor="#eef2ff"]`
  return `subgraph "cluster_${name}" { label="${name}" style="rounded,filled" color="#94a3b8" fillcolor="#f8fafc" fontname="Helvetica-Bold" ${nodes.join('; ')} }`
})
const lines = [...edges].map(([key, events]) => {
  const [from, to] = key.split('|')
  const cut = [isGroup(from) ? `ltail="cluster_${from}"` : '', isGroup(to) ? `lhead="cluster_${to}"` : ''].join(' ')
  return `${node(from)} -> ${node(to)} [label="${label(events)}" ${cut}]`
})
const dot = `digraph task {
  compound=true rankdir=LR nodesep=0.3 ranksep=1.1 fontname="Helvetica" fontsize=12
  label="Everywhere: fire begins a new run, resume reads a known task, adopt takes one over, reset leads to idle.\\nFailed work returns to retrying where the caller's policy says so." labelloc=b
  node [shape=box style="rounded,filled" fillcolor="#ffffff" color="#475569" fontname="Helvetica" fontsize=12 height=0.35]
  edge [fontname="Helvetica" fontsize=9 color="#64748b" fontcolor="#334155" arrowsize=0.7]
  ${groups.join('\n  ')}
  ${lines.join('\n  ')}
  "working.detached" -> "cancelling" [style=invis weight=9]
}`

const svg = (await instance()).renderString(dot, { format: 'svg', engine: 'dot' })
if (process.argv.includes('--check')) {
  if (readFileSync(file, 'utf8') !== svg) {
    console.error('docs/statechart.svg is not what the chart says: draw it again with `pnpm run chart`.')
    process.exit(1)
  }
} else {
  mkdirSync(new URL('.', file), { recursive: true })
  writeFileSync(file, svg)
}
