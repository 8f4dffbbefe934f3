import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from '@jest/globals'
import type { ServiceProcess } from './service-process.js'

/** Requests a download: first a 503, then until the files exist whose run it started. */
export async function expectFilesOnRequest(query: ServiceProcess): Promise<void> {
  const download = () => fetch(`${query.url()}/api/v1/export?type=skills`)

  const first = await download()
  expect(first.status).toBe(503)
  expect(Number(first.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)

  for (let answer = first; answer.status !== 200; answer = await download()) {
    expect(answer.status).toBe(503)
    await sleep(500)
  }
  expect(await (await download()).json()).toMatchObject({ type: 'skills', total: 0, data: [] })
}
