import { expect, test } from '@jest/globals'
import { MemoryRateLimiter } from '../../shared/adapters/embedded/memory-rate-limiter.js'
import { unavailable } from '../../shared/errors.js'
import { overlaid } from '../../shared/overlaid.js'
import { runProgram, whenProgram } from '../support/programs.js'
import { startTestApp } from '../support/test-app.js'

/** Longer than curl waits by itself before its first retry. */
const waitMs = 2_500

whenProgram('curl', ['--version'], () => {
  test('--retry waits as long as a 429 says, and is let in then', async () => {
    const asked: number[] = []
    const limiter = new MemoryRateLimiter()
    const api = await startTestApp({
      replace: () => ({
        rateLimiter: overlaid(limiter, {
          consume: async (policy) => {
            asked.push(performance.now())
            return { policy, admitted: asked.length > 1, remaining: 0, resetAtMs: Date.now() + waitMs }
          },
        }),
      }),
    })

    expect(await statusAfterRetry(api.url)).toBe('200')
    const [first = 0, second = 0] = asked
    expect(second - first).toBeGreaterThanOrEqual(waitMs)
  })

  test('--retry comes back to a 503', async () => {
    let asked = 0
    const api = await startTestApp({
      replace: ({ catalog }) => ({
        catalog: overlaid(catalog, {
          listSkills: (query) => {
            asked += 1
            return asked === 1
              ? Promise.reject(unavailable('catalog_unavailable', 'Later.', 2))
              : catalog.listSkills(query)
          },
        }),
      }),
    })

    expect(await statusAfterRetry(api.url)).toBe('200')
    expect(asked).toBe(2)
  })
})

/** What curl got in the end, which may come back once. */
async function statusAfterRetry(url: string): Promise<string | undefined> {
  const args = ['-sS', '--retry', '1', '-w', '\n%{http_code}', `${url}/api/skills`]
  return (await runProgram('curl', args)).stdout.split('\n').at(-1)
}
