import { Window } from 'happy-dom'
import { vi } from 'vitest'

// What React needs of a browser, and no more: the real client speaks over Node's own streams.
const window = new Window()
vi.stubGlobal('window', window)
vi.stubGlobal('document', window.document)
vi.stubGlobal('navigator', window.navigator)
