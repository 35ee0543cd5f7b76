/** Says where the pages are. */
export function printAddresses(url) {
  console.log(`Open ${url} for the research panel.`)
  console.log(`  ${url}vue/ and ${url}svelte/ are the same in Vue and Svelte;`)
  console.log(`  ${url}side-by-side/ shows all three, following the same tasks.`)
}
