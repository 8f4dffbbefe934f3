import { test } from '@jest/globals'

/** Skips a fault that cannot be produced on this machine, with the reason. */
export const cannotShow = (fault: string, reason: string): void => test.skip(`${fault} (${reason})`, () => undefined)
