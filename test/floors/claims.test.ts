import { readFileSync } from 'node:fs'
import { version as react } from 'react'
import { VERSION as svelte } from 'svelte/compiler'
import { version as vue } from 'vue'
import { expect, test } from 'vitest'

interface Manifest {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}
const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as Manifest
const { dependencies: floors } = read('./package.json')
const claims = (name: string) => read(`../../packages/${name}/package.json`)

test('each range begins where it was tested', () => {
  expect({
    react: claims('react').peerDependencies['react'],
    svelte: claims('svelte').peerDependencies['svelte'],
    vue: claims('vue').peerDependencies['vue'],
    xstate: claims('core').dependencies['xstate'],
  }).toEqual({
    react: `^${floors['react']} || ^19.0.0`,
    svelte: `^${floors['svelte']}`,
    vue: `^${floors['vue']}`,
    xstate: `^${floors['xstate']}`,
  })
})

test('and these are the versions that are imported', () => {
  const xstate = read('./node_modules/xstate/package.json').version
  expect({ react, 'react-dom': react, svelte, vue, xstate }).toEqual(floors)
})
