import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parseSynonyms, readSynonyms } from '../../shared/ranking/other-words.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const namesOf = (text: string, ...phrase: string[]) =>
  parseSynonyms(text)
    .of(phrase)
    .map((name) => name.join(' '))

test('names of a group stand for each other, in any form', () => {
  const text = '# A comment\n\nVM = virtual machine = box\nbox = crate\n'

  expect(namesOf(text, 'vm')).toEqual(['virtual machine', 'box'])
  expect(namesOf(text, 'virtual', 'machines')).toEqual(['vm', 'box'])
  expect(namesOf(text, 'boxes')).toEqual(['vm', 'virtual machine', 'crate'])
  expect(namesOf(text, 'machine')).toEqual([])
  expect(parseSynonyms(text).longest).toBe(2)
})

test.each(['a = b\nonly one\n', 'a = b\nc =\n', 'a = b\n! = c\n'])('a bad line is named: %j', (text) => {
  expect(() => parseSynonyms(text)).toThrow('line 2: needs two names or more')
})

test('the shipped file has 150 groups or more, and a letter in each name', () => {
  const { names } = readSynonyms()

  expect(names.length).toBeGreaterThanOrEqual(2 * 150)
  expect(names.filter((name) => !/\p{L}/u.test(name.join('')))).toEqual([])
})

test('a file of the operator adds groups', () => {
  const file = join(temporaryFolder(), 'synonyms.txt')
  writeFileSync(file, 'acme = acme corp\n')

  expect(readSynonyms(file).of(['acme'])).toEqual([['acme', 'corp']])
  expect(readSynonyms(file).of(['k8s'])).toEqual(readSynonyms().of(['k8s']))
})
