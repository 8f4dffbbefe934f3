import { describe, expect, test } from '@jest/globals'
import type { RecordType } from '../../shared/records/records.js'
import { mapDocument } from '../support/source-items.js'

const one = { full_name: 'acme/one', description: 'First.' }
const two = { full_name: 'acme/two', private: false }

const statesOf = async (document: unknown, type: RecordType = 'skills') =>
  (await mapDocument(document, type)).map(({ state }) => state)

describe('an object around a list withdraws its records', () => {
  test.each<[what: string, document: unknown]>([
    ['before it', { hidden: true, items: [one, two] }],
    ['after it', { results: [one, two], total: 2, visibility: 'private' }],
    ['around the object with it', { visibility: 'private', data: { skills: [one, two] } }],
    ['around that object, after it', { data: { items: [one, two], count: 2 }, isPrivate: true }],
    ['by the object of its repository', { private: false, repository: { private: true }, items: [one, two] }],
    ['that has two lists', { items: [one], data: [two], status: 'draft' }],
    ['in a list of answers', { results: [{ hits: [one, two], private: true }] }],
    ['in a list of answers, around the object with it', { results: [{ data: { hits: [one, two] }, hidden: true }] }],
    ['around a list of answers', { results: [{ hits: [one, two] }], hidden: true }],
    ['in a list of a list', [{ published: false, repositories: [one, two] }]],
  ])('%s', async (_what, document) => {
    expect(await statesOf(document)).toEqual(['hidden', 'hidden'])
  })

  test.each<[type: 'prompts' | 'organizations', document: object]>([
    ['prompts', { private: true, prompts: [{ title: 'One', content: 'x', isPrivate: false }] }],
    ['prompts', { data: [{ id: 'x', title: 'One', content: 'x' }], visibility: 'PRIVATE' }],
    ['organizations', { organizations: [{ login: 'acme' }], hidden: 'yes' }],
  ])('of %s', async (type, document) => {
    expect(await statesOf(document, type)).toEqual(['hidden'])
  })

  test('a draft in a list, also one whose source is an object', async () => {
    const source = { repo: 'acme/kit', path: 'skills/pdf' }

    expect(
      await statesOf([
        { _id: 'drafts.1', ...one },
        { _id: '2', name: 'pdf', source },
      ]),
    ).toEqual(['hidden', 'published'])
    expect(await statesOf({ items: [{ _id: 'drafts.2', name: 'pdf', source }] })).toEqual(['hidden'])
  })

  test('as a tombstone', async () => {
    expect(await statesOf({ deleted: true, items: [one] })).toEqual(['removed'])
  })
})

test.each<[document: unknown]>([
  [{ status: 'success', private: false, items: [one, two] }],
  [{ deleted: 0, hidden: 3, removed: 1, items: [one, two] }],
  [{ state: 'partial', visibility: 'all', items: [one, two] }],
  [{ data: { items: [one, two] }, meta: { private: true } }],
  [{ data: { private: true }, items: [one, two] }],
  [{ repository: { name: 'kit', private: false, archived: true }, items: [one, two] }],
  [{ user: { private: true, items: ['x'] }, items: [one, two], filters: { draft: true } }],
])('%j withdraws nothing', async (document) => {
  expect(await statesOf(document)).toEqual(['published', 'published'])
})

test('one of several objects with lists withdraws its own records alone', async () => {
  const [a, b] = [
    { isPrivate: true, nodes: [one] },
    { isPrivate: false, nodes: [two] },
  ]

  expect(await statesOf({ data: { a, b } })).toEqual(['hidden', 'published'])
  expect(await statesOf({ data: { b, a } })).toEqual(['published', 'hidden'])
  expect(await statesOf([a, b])).toEqual(['hidden', 'published'])
})

describe('the event of a removal withdraws its record', () => {
  test.each<[event: object]>([
    [{ database: 'a', table: 'skills', type: 'delete', data: one }],
    [{ data: [one], type: 'DELETE', old: null }],
    [{ specversion: '1.0', type: 'org.acme.skill.deleted', data: one }],
    [{ event: 'REMOVE', record: { ...one, deleted: false } }],
    [{ op: 'd', document: one }],
    [{ action: 'deleted', repository: one }],
  ])('%j', async (event) => {
    expect(await statesOf(event)).toEqual(['removed'])
  })

  test.each<[event: object]>([
    [{ database: 'a', table: 'skills', type: 'update', data: one }],
    [{ data: [one], type: 'INSERT' }],
    [{ type: 'remove-skills', id: '1', attributes: one }],
    [{ op: 'c', document: one }],
  ])('not %j', async (event) => {
    expect(await statesOf(event)).toEqual(['published'])
  })
})
