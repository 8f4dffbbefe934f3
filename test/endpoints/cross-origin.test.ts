import { expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { startTestApp } from '../support/test-app.js'

const origin = { Origin: 'https://page.example' }

test('every header that the API sends is readable by the page', async () => {
  const api = await startTestApp({ skills: [aSkill()] })
  await api.publishExports()
  const answers = [
    await api.get('/api/skills'),
    await api.get('/api/v1/stats'),
    await api.get('/api/v1/export?type=skills'),
    await api.get('/api/v1/skills/search'),
  ]
  // Always exposed, specific to the connection, or of no use to programs.
  const exempt =
    /^(access-control-.*|cache-control|content-type|last-modified|connection|date|keep-alive|transfer-encoding|content-security-policy|cross-origin-resource-policy|referrer-policy|x-content-type-options)$/

  for (const { headers } of answers) {
    const exposed = String(headers['access-control-expose-headers']).toLowerCase().split(',')
    expect(Object.keys(headers).filter((name) => !exempt.test(name) && !exposed.includes(name))).toEqual([])
  }
})

test('a preflight is answered, and may be cached', async () => {
  const api = await startTestApp()

  const preflight = await api.send('OPTIONS', '/api/v1/skills/search?q=pdf', {
    ...origin,
    'Access-Control-Request-Method': 'GET',
    'Access-Control-Request-Headers': 'if-none-match, x-request-id',
  })

  expect(preflight).toMatchObject({
    status: 204,
    text: '',
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET,HEAD,POST,OPTIONS',
      'access-control-allow-headers': 'if-none-match, x-request-id',
      'access-control-max-age': '86400',
    },
  })
})

test('OPTIONS may be asked of the whole server', async () => {
  const api = await startTestApp()

  expect(await api.send('OPTIONS', '*')).toMatchObject({ status: 204 })
})
