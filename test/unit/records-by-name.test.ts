import { describe, expect, test } from '@jest/globals'
import { readJson, readNdjson } from '../../services/indexer/import/read-json.js'
import { inPieces, mapAll, readAll } from '../support/source-items.js'

test('skills under their names that say whose they are, as in a lock file, are read', async () => {
  const lock = { version: 3, skills: { pdf: { source: 'acme/kit', skillPath: 'skills/pdf/SKILL.md' } } }

  expect(await mapAll(readJson(inPieces(JSON.stringify(lock)), 'skills'))).toMatchObject([
    { id: 'acme/kit@pdf', path: 'skills/pdf' },
  ])
})

test('a skill without a place in its repository has the name under which it stands', async () => {
  const source = 'acme/kit'
  const lock = {
    version: 1,
    skills: { pdf: { source, sourceType: 'github', computedHash: 'ab12' }, author: { source } },
  }

  expect(await mapAll(readJson(inPieces(JSON.stringify(lock)), 'skills'))).toMatchObject([
    { id: 'acme/kit@pdf' },
    { id: 'acme/kit@author' },
  ])
})

describe('an object that has each record under a name', () => {
  test.each<[what: string, document: object, ids: string[]]>([
    ['its id', { 'acme/one': { stars: 1 }, 'acme/two@csv': {} }, ['acme/one', 'acme/two@csv']],
    ['its id, alone', { 'acme/one': { stars: 1 } }, ['acme/one']],
    ['its id, in a member', { version: 1, skills: { 'acme/one': { description: 'One.' } } }, ['acme/one']],
    ['its number', { 0: { full_name: 'acme/one' }, 1: { full_name: 'acme/two' } }, ['acme/one', 'acme/two']],
    ['its key', { '-NxA1': { owner: 'acme', repo: 'one' }, '-NxA2': { repo: 'acme/two' } }, ['acme/one', 'acme/two']],
    ['its name', { pdf: { repo: 'acme/kit' }, csv: { repo: 'acme/kit' } }, ['acme/kit@pdf', 'acme/kit@csv']],
  ])('is read as a list of them: %s', async (_what, document, ids) => {
    const text = JSON.stringify(document)

    for (const items of [readJson(inPieces(text, 5), 'skills'), readNdjson(inPieces(text), 'skills')]) {
      expect(await mapAll(items)).toEqual(ids.map((id) => expect.objectContaining({ id })))
    }
  })

  test('costs an odd one that one', async () => {
    const text = JSON.stringify({ a1: { repo: 'acme/one' }, a2: { stars: 3 }, a3: { repo: 'acme/three' } })

    expect(await mapAll(readJson(inPieces(text), 'skills'))).toEqual([
      expect.objectContaining({ id: 'acme/one@a1' }),
      { reason: expect.stringContaining('does not say whose it is') },
      expect.objectContaining({ id: 'acme/three@a3' }),
    ])
  })

  test('keeps the titles of prompts, and gives them their names otherwise', async () => {
    const text = JSON.stringify({ a1: { act: 'Terminal', prompt: 'Be a terminal.' }, Poet: { prompt: 'Be a poet.' } })

    expect(await readAll(readJson(inPieces(text), 'prompts'))).toEqual([
      'record 1: {"act":"Terminal","prompt":"Be a terminal."}',
      'record 2: {"title":"Poet","prompt":"Be a poet."}',
    ])
  })
})
