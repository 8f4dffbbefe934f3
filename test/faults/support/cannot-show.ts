import { test } from '@jest/globals'

/** Names a fault that the machine at hand can't be made to have, and why, so that it is not missed silently. */
export const cannotShow = (fault: string, reason: string): void => test.skip(`${fault} (${reason})`, () => undefined)
