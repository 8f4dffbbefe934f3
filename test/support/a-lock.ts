import type { Fence } from '../../shared/ports/locks.js'

/** Of a lock that is held. */
export const aFence = (overrides: Partial<Fence> = {}): Fence => ({
  name: 'test',
  epoch: 1,
  check: () => undefined,
  ...overrides,
})
