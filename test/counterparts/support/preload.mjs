// Loaded before a server program that a test starts: it tells the test which free port the program got, and ends the program when
// the test is gone, however that came about.
import { Server } from 'node:net'

const { listen } = Server.prototype
Server.prototype.listen = function (...args) {
  this.once('listening', () => process.send({ port: this.address().port }))
  return listen.apply(this, args)
}
process.once('disconnect', () => process.exit())
