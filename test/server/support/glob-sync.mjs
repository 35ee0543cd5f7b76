// The conformance runner imports `globSync` from node:fs, which Node 20 does not have. It uses it in commands that no
// test here calls, so a stand-in that throws lets it load.
import { register } from 'node:module'

const hooks = `
export async function resolve(specifier, context, next) {
  const wanted = /^(node:)?fs$/.test(specifier) && context.parentURL?.includes('@modelcontextprotocol/conformance/')
  return wanted ? { url: 'stand-in:fs', shortCircuit: true } : next(specifier, context)
}
export async function load(url, context, next) {
  if (url !== 'stand-in:fs') return next(url, context)
  const source = [
    'import fs from "node:fs"',
    'export * from "node:fs"',
    'export default fs',
    'export const globSync = fs.globSync ?? (() => { throw new Error("fs.globSync needs Node 22") })',
  ].join(';')
  return { format: 'module', source, shortCircuit: true }
}`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)
