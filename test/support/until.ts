import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves when this is so; asks again and again. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) {
    await sleep(20)
  }
}
