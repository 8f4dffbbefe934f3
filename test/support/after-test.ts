import { afterEach } from '@jest/globals'

const ends: (() => unknown)[] = []

/** Does this when the test ends; what was begun last ends first. */
export const afterTest = (end: () => unknown): void => void ends.push(end)

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) {
    await end()
  }
})
