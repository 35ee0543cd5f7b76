import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { preparePages } from './pages.ts'
import { closeWindows, leaveBrowser } from './run-page.ts'

/** Serves the pages anew for each test of the file. */
export function useSite() {
  let pages: Awaited<ReturnType<typeof preparePages>> | undefined
  let site: Awaited<ReturnType<NonNullable<typeof pages>['serve']>>
  beforeAll(async () => {
    pages = await preparePages()
  })
  beforeEach(async () => {
    site = await pages!.serve()
  })
  afterEach(async () => {
    await closeWindows()
    site.close()
  })
  afterAll(async () => {
    await leaveBrowser()
    await pages?.stop()
  })
  return {
    get url() {
      return site.url
    },
    /** What clients have sent, in order. */
    get methods() {
      return site.proxy.methods
    },
    count: (method: string) => site.proxy.methods.filter((each) => each === method).length,
    /** What has to do with a run, of all that was sent since. */
    ofRun: (since = 0) => site.proxy.methods.slice(since).filter((each) => /^tasks\/|^tools\/call$/.test(each)),
    keepAnswer: (method: string) => site.proxy.keepAnswer(method),
    /** From now on what clients learn comes by `tasks/get`. */
    refusePushes() {
      site.proxy.refused = 'subscriptions/listen'
    },
    forget: () => site.forget(),
  }
}
