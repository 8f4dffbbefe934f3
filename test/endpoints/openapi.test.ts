import { expect, test } from '@jest/globals'
import { startTestApp } from '../support/test-app.js'

test('the document tells of every path, its own included', async () => {
  const api = await startTestApp()

  const answer = await api.get('/openapi.json')

  expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json; charset=utf-8' } })
  expect(Object.keys(Object(answer.body).paths)).toEqual(
    expect.arrayContaining(['/api/skills', '/api/v1/skills/{owner}/{repo}', '/api/v1/export', '/openapi.json']),
  )
})
