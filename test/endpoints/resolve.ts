import { expect } from '@jest/globals'
import type { Catalog } from '../../shared/ports/catalog.js'
import type { ChangeLog } from '../../shared/ports/change-log.js'
import { digestOf } from '../../shared/text/skill-text.js'
import type { TestApp } from '../support/test-app.js'

export const path = '/api/v1/resolve'
export const json = { 'Content-Type': 'application/json' }

export const commit = 'a'.repeat(40)
export const text = '---\nname: pdf\ndescription: Reads PDF\n---\n# PDF\n'
export const digest = digestOf(text)
export const otherDigest = digestOf('another text')
export const timed = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

export const github = { source: 'Acme/Kit', sourceType: 'github' }

/** The stores of a mode. */
export interface ResolveStores {
  catalog: Catalog
  changes: ChangeLog
  /** Has everything logged that was written. */
  ingest(): Promise<unknown>
}

/** Posts a body. */
export async function send(api: TestApp, body: unknown, headers: Record<string, string> = json, query = '') {
  const sent = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  const answer = await fetch(`${api.url}${path}${query}`, { method: 'POST', headers, body: sent as BodyInit })
  const text = await answer.text()
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text, body: JSON.parse(text) }
}

/** The answer to these entries: a lock file's, by name, or a list. */
export async function resolved(api: TestApp, skills: object): Promise<Record<string, unknown>[]> {
  const { status, body } = await send(api, { version: 3, skills, dismissed: {}, lastSelectedAgents: ['x'] })
  expect({ status, body }).toMatchObject({ status: 200 })
  return body.data
}
