import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Frame, Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * What axe finds on the page that is moderate or worse, in words: the rule, and where. `onlyColours` for a page that was looked at already
 * and has changed in nothing but its colours.
 */
export async function seriousFaults(page: Page | Frame, onlyColours: boolean): Promise<readonly string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(source)
  const runOnly = onlyColours ? ['color-contrast'] : undefined
  const { violations }: AxeResults = await page.evaluate(
    `axe.run(${JSON.stringify({ runOnly, resultTypes: ['violations'] })})`,
  )
  return violations
    .filter(({ impact }) => impact !== 'minor')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
    )
}
