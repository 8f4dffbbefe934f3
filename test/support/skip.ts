import { describe, test } from '@jest/globals'

/** Defines a test. @param reason why it cannot run here: then it is skipped, and says so; null: it can */
export function testUnless(
  reason: string | null,
  name: string,
  run: () => Promise<void> | void,
  timeoutMs?: number,
): void {
  if (reason === null) {
    test(name, run, timeoutMs)
  } else {
    test.skip(`${name} (${reason})`, run)
  }
}

/** Defines tests. @param reason why they cannot run here: then a skipped test says so; null: they can */
export function describeUnless(reason: string | null, name: string, define: () => void): void {
  if (reason === null) {
    describe(name, define)
  } else {
    test.skip(reason, () => {})
  }
}
