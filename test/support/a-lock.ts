import type { Lock } from '../../shared/ports/locks.js'

/** One that is held. */
export const aLock = (overrides: Partial<Lock> = {}): Lock => ({
  name: 'test',
  epoch: 1,
  takenOver: false,
  lost: new AbortController().signal,
  check: () => undefined,
  release: async () => undefined,
  ...overrides,
})
