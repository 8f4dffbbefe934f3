import { expect } from '@jest/globals'
import type { Catalog } from '../../shared/ports/catalog.js'
import type { ChangeLog } from '../../shared/ports/change-log.js'
import { digestOf } from '../../shared/text/skill-text.js'
import { postBody, type TestApp } from '../support/test-app.js'

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
export const send = (api: TestApp, body: unknown, headers?: Record<string, string>) =>
  postBody(`${api.url}${path}`, body, headers)

/** The answer to these entries: a lock file's, by name, or a list. */
export async function resolved(api: TestApp, skills: object): Promise<Record<string, unknown>[]> {
  const { status, body } = await send(api, { version: 3, skills, dismissed: {}, lastSelectedAgents: ['x'] })
  expect({ status, body }).toMatchObject({ status: 200 })
  return body.data
}
