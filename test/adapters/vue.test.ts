import { describeAdapter } from './contract.ts'
import { componentDriver, scopeDriver } from './vue-driver.ts'

describeAdapter('Vue', componentDriver)
describeAdapter('Vue in a bare effect scope', scopeDriver)
