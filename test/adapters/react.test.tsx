import { Fragment, StrictMode } from 'react'
import { describeAdapter } from './contract.ts'
import { reactDriver } from './react-driver.tsx'

describeAdapter('React', reactDriver(Fragment))
describeAdapter('React in Strict Mode', reactDriver(StrictMode))
