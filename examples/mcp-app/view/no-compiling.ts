import { config } from 'zod'

// A view may compile nothing, so zod need not try. It looks when a schema is made: this module comes before those that make some.
config({ jitless: true })
