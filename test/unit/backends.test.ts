import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { startTestApp } from '../support/test-app.js'

test('clients take turns as they are counted: an IPv6 network is one client', async () => {
  const begun: string[] = []
  let endOne = () => {}
  const { get } = await startTestApp({
    sample: true,
    config: { trustedProxies: 1 },
    replace: ({ index, callsAtOnce }) => ({
      callsAtOnce: { ...callsAtOnce, searches: 1 },
      index: {
        ...index,
        search: async (query) => {
          begun.push(query.text)
          await new Promise<void>((resolve) => {
            endOne = resolve
          })
          return index.search(query)
        },
      },
    }),
  })
  const sent = [
    ['a1', '2001:db8::1'],
    ['a2', '2001:db8::2'],
    ['a3', '2001:db8::3'],
    ['b1', '192.0.2.7'],
  ]
  const answers: Promise<unknown>[] = []
  for (const [text, address = ''] of sent) {
    answers.push(get(`/api/v1/skills/search?q=${text}`, { 'X-Forwarded-For': address }))
    // So that they wait in this order.
    await sleep(30)
  }
  for (let ended = 1; ended <= sent.length; ended += 1) {
    endOne()
    await sleep(30)
  }

  await Promise.all(answers)
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3'])
})
