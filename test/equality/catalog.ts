import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mapRecord } from '../../services/indexer/import/map-record.js'
import { generateOrganizations, generatePrompts } from '../../services/indexer/seed/generate-records.js'
import { generateSkills } from '../../services/indexer/seed/generate-skills.js'
import type { SkillContent } from '../../shared/ports/skill-texts.js'
import type { RecordType, StoredRecords } from '../../shared/records/records.js'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { digestOf } from '../../shared/text/skill-text.js'
import { anOrganization, aPrompt, aSkill } from '../support/factories.js'

/** A text in private fields only, which must never be returned. */
export const unpublished = 'someone@private.example'

/** The private fields of a crawler. */
const ofTheCrawler = { contactEmail: unpublished, moderation: { note: `asked ${unpublished}` }, submitter: unpublished }

const text = '---\nname: kumquat\n---\n# Kumquat\n\nPeel it — slowly.\n'
const digest = digestOf(text)

/** The texts and files of some skills. */
export const contents: SkillContent[] = [
  {
    id: 'acme/kumquat',
    digest,
    text,
    files: { files: [{ path: 'SKILL.md', size: Buffer.byteLength(text), digest }], total: 1 },
  },
]

/** Records of a catalog, by type. */
export type Records = { [T in RecordType]: StoredRecords[T][] }

/**
 * The catalog of both modes: the sample, generated records, and records that differ only in order or spelling.
 *
 * @param generated the number of generated skills
 */
export const recordsWith = (generated: number): Records => ({
  skills: [
    ...sample('skills'),
    ...generateSkills(generated, 11),
    // Equal except for the field that they are sorted by.
    ...['alpha', 'beta', 'gamma', 'delta'].map((repo) =>
      aSkill({ owner: 'twins', repo, name: 'Kumquat Peeler', stars: 77, updatedAt: '2026-02-01T00:00:00.000Z' }),
    ),
    ...[1, 2, 3].map((day) =>
      aSkill({
        owner: 'days',
        repo: `day-${day}`,
        name: 'Rhubarb',
        stars: 5,
        updatedAt: `2026-01-0${day}T12:00:00.000Z`,
      }),
    ),
    ...[null, 0, 1].map((stars) => aSkill({ owner: 'stars', repo: `stars-${stars}`, description: 'Rhubarb.', stars })),
    aSkill({
      owner: 'Acme',
      repo: 'Kumquat',
      name: 'Something else',
      license: 'MIT',
      stars: 3,
      digest,
      ...ofTheCrawler,
    }),
    aSkill({
      owner: 'acme',
      repo: 'LangChainTools',
      name: 'LangChainTools',
      topics: ['kumquat', 'c++'],
      license: 'MIT',
    }),
    aSkill({ owner: 'acme', repo: 'strasse', name: 'Café Straße Übersetzung', language: 'C#', topics: ['c#', 'café'] }),
    aSkill({
      owner: 'acme',
      repo: 'bunseki',
      name: '日本語のデータ分析ツール',
      description: '縦書きの文書を読む。',
      stars: 12,
    }),
    aSkill({ owner: 'acme', repo: 'shuju', description: '数据分析的工具', topics: ['数据'] }),
    aSkill({ owner: 'acme', repo: 'jaryo', name: '한국어 문서 도구', description: 'Crab 🦀 and kumquat tools.' }),
    aSkill({ owner: 'acme', repo: 'compound', description: 'The kumquat database, a data base of kum quats.' }),
    aSkill({
      owner: 'acme',
      repo: 'html',
      name: '<b>Kumquat</b> & "Sons"',
      homepage: 'https://kumquat.example/?a=1&b=2',
    }),
    // Several in one repository: with its own record, with none, and renamed; their names repeat.
    ...['carve', 'kumquat', 'peel'].flatMap((skill, place) =>
      ['Kit', 'tools'].map((repo) =>
        aSkill({
          owner: 'Orchard',
          repo,
          skill,
          name: skill,
          path: `skills/${skill}`,
          topics: ['orchard', `to-${skill}`],
          stars: repo === 'Kit' ? 21 : place,
          formerIds: [`orchard/${repo}-before@${skill}`],
        }),
      ),
    ),
    aSkill({ owner: 'Orchard', repo: 'Kit', name: 'The kit', path: '', stars: 21 }),
    aSkill({ owner: 'orchard', repo: 'kit', skill: 'gone', state: 'removed', removedAt: '2026-01-05T10:00:00.000Z' }),
    aSkill({ owner: 'orchard', repo: 'kit', skill: 'hidden', state: 'hidden' }),
    aSkill({ owner: 'acme', repo: 'new-name', formerIds: ['acme/old-name', 'other/older.name'] }),
    aSkill({
      owner: 'acme',
      repo: 'gone',
      name: 'Kumquat gone',
      state: 'removed',
      removedAt: '2026-01-05T10:00:00.000Z',
    }),
    aSkill({ owner: 'acme', repo: 'hidden', name: 'Kumquat hidden', state: 'hidden' }),
  ],
  prompts: [
    ...sample('prompts'),
    ...generatePrompts(60, 11),
    aPrompt({ id: 'kumquat', ...ofTheCrawler }),
    aPrompt({ id: 'kumquat-gone', state: 'removed', removedAt: '2026-01-05T10:00:00.000Z' }),
    aPrompt({ id: 'kumquat-hidden', state: 'hidden' }),
  ],
  organizations: [
    ...sample('organizations'),
    ...generateOrganizations(40, 11),
    anOrganization({ login: 'acme', ...ofTheCrawler }),
    anOrganization({ login: 'twins', name: 'Twins, hidden', state: 'hidden' }),
  ],
})

function sample<T extends RecordType>(type: T): StoredRecords[T][] {
  const text = readFileSync(join(projectRoot(), 'infra', 'sample', `${type}.ndjson`), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const mapped = mapRecord(type, JSON.parse(line))
      if ('reason' in mapped) {
        throw new Error(mapped.reason)
      }
      return mapped.record
    })
}
