/** The frameworks that the page is written in, and the path of each under the demo's address. */
export const frameworks = [
  ['React', ''],
  ['Vue', 'vue/'],
  ['Svelte', 'svelte/'],
] as const
