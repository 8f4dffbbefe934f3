import { AsyncLocalStorage } from 'node:async_hooks'
import { TestEnvironment } from 'jest-environment-node'

/** Those that have been entered since the last test file of this process ended. */
const entered = new Set()
const { run } = AsyncLocalStorage.prototype

AsyncLocalStorage.prototype.run = function (...args) {
  entered.add(this)
  return run.apply(this, args)
}

/**
 * Node's environment, and no file slows those after it: Jest enters an AsyncLocalStorage for each test file, and before
 * Node 24 each one takes part in every later promise of its process until it is disabled.
 */
export default class CleanEnvironment extends TestEnvironment {
  async teardown() {
    for (const storage of entered) {
      storage.disable()
    }
    entered.clear()
    await super.teardown()
  }
}
