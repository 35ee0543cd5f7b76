import { describeChanges } from './contract/changes.ts'
import { describeFollowing } from './contract/following.ts'
import { describeGroups } from './contract/groups.ts'
import { describeRuns } from './contract/runs.ts'
import { describeSharing } from './contract/sharing.ts'
import type { Driver } from './driver.ts'

/** What every adapter promises, in whatever way its framework is used. */
export function describeAdapter(name: string, driver: Driver): void {
  describeRuns(name, driver)
  describeChanges(name, driver)
  describeSharing(name, driver)
  describeFollowing(name, driver)
  describeGroups(name, driver)
}
