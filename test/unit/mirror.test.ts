import { describe, expect, test } from '@jest/globals'
import { copyExport } from '../../services/indexer/mirror/copy.js'
import { boundWalk } from '../../services/indexer/mirror/mirror.js'
import { readChanges } from '../../services/indexer/mirror/read-changes.js'
import { mapSourceRecord } from '../../services/indexer/mirror/read-export.js'
import { fileOf, findNewestSnapshot } from '../../services/indexer/mirror/signed-manifest.js'
import { toPublicSkill, toSkillRow } from '../../shared/records/skill.js'
import { operatorError } from '../../shared/runtime/errors.js'
import { makeSkills } from '../support/factories.js'
import { announced, filePath, startHostileSource, text } from '../support/hostile-source.js'
import { openMirror, startSource } from '../support/mirror.js'
import { startHttpRelay } from '../support/relays.js'

test('a copy is the same with the organization of a skill and without it, as in the files of an older source', () => {
  const [skill] = makeSkills(1).map(toPublicSkill)
  if (skill === undefined) {
    throw new Error('no skill')
  }

  const copied = mapSourceRecord('skills', toSkillRow(skill))

  expect(copied).toMatchObject({ id: skill.id, record: { owner: skill.owner } })
  expect(copied).toEqual(mapSourceRecord('skills', skill))
  expect(copied).not.toHaveProperty('record.organization')
})

test('copying a file ends when the command is stopped', async () => {
  const lines = makeSkills(5_000).map((skill) => `${JSON.stringify(toPublicSkill(skill))}\n`)
  const hostile = await startHostileSource([announced('skills', lines.join(''))])
  hostile.answers[filePath('skills')] = text(lines.join(''))
  const stop = new AbortController()
  const mirror = await openMirror(hostile.url, { signal: stop.signal })
  let seen = 0
  mirror.display.update = (done) => {
    seen = done
    stop.abort(operatorError('stopped', 'Stopped.'))
  }
  const newest = await findNewestSnapshot(mirror)
  const file = newest === null ? null : fileOf(newest, 'skills')
  if (file === null) {
    throw new Error('no file')
  }

  await expect(copyExport(mirror, 'skills', file)).rejects.toMatchObject({ code: 'stopped' })
  expect(seen).toBeLessThan(5_000)
})

describe('reading changes', () => {
  test('requests smaller pages when a thousand changes exceed the size limit', async () => {
    const source = await startSource(makeSkills(250))
    const relay = await startHttpRelay(source.url)
    const mirror = await openMirror(relay.url, { maxResponseBytes: 100_000 })

    await readChanges(mirror)

    expect(mirror.counts.published.skills).toBe(250)
    expect(relay.requests.map(({ params }) => params.get('limit'))).toEqual(['1000', '100', '100', '100'])
  })

  test('stops at a source without end', async () => {
    const { source } = await openMirror('http://127.0.0.1:1')
    const bound = boundWalk(source, '/api/v1/changes')

    expect(() => {
      for (;;) {
        bound(0)
      }
    }).toThrow(expect.objectContaining({ code: 'source_not_understood' }))
  })
})
