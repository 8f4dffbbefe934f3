import { gzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { startTestApp } from '../support/test-app.js'

/** Scripts and styles of the first view, compressed. */
const maxBytes = 70 * 1_024

test('scripts and styles of a page are small, and cached for good', async () => {
  const api = await startTestApp({ sample: true })
  const { text } = await api.get('/', { Accept: 'text/html' })
  const paths = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"/g)].map(([, path]) => String(path))

  const files = await Promise.all(paths.map((path) => api.get(path)))

  expect(paths.length).toBeGreaterThanOrEqual(3)
  for (const { status, headers } of files) {
    expect({ status, cached: headers['cache-control'] }).toEqual({
      status: 200,
      cached: 'public, max-age=31536000, immutable',
    })
  }
  const sizes = files.map(({ text: content }) => gzipSync(content).length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(maxBytes)
})
