import { expect, test } from '@jest/globals'
import { MemoryRateLimiter } from '../../shared/adapters/limits/memory-rate-limiter.js'
import { unavailable } from '../../shared/runtime/errors.js'
import { runProgram, whenProgram } from '../support/programs.js'
import { startTestApp } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'

/** Longer than curl's own delay before its first retry. */
const waitMs = 2_500

whenProgram('curl', ['--version'], () => {
  test('--retry waits for the Retry-After of a 429, and is then admitted', async () => {
    const asked: number[] = []
    const limiter = new MemoryRateLimiter()
    const api = await startTestApp({
      replace: () => ({
        rateLimiter: withOverrides(limiter, {
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

  test('--retry repeats the request after a 503', async () => {
    let asked = 0
    const api = await startTestApp({
      replace: ({ catalog }) => ({
        catalog: withOverrides(catalog, {
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

/** The response that curl got in the end. */
async function statusAfterRetry(url: string): Promise<string | undefined> {
  const args = ['-sS', '--retry', '1', '-w', '\n%{http_code}', `${url}/api/skills`]
  return (await runProgram('curl', args)).stdout.split('\n').at(-1)
}
