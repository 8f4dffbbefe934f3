import { expect, test } from '@jest/globals'
import { mapRecord } from '../../services/indexer/import/map-record.js'
import { documentToStored } from '../../shared/adapters/servers/mongo/catalog/document.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'

type Input = Record<string, unknown>

const tool = { owner: 'acme', repo: 'tool' }

/** What an import makes of a skill with these members, and its state in a document. */
function read(input: Input) {
  const mapped = mapRecord('skills', { ...tool, ...input })
  const { state } = documentToStored('skills', { _id: 'a', ...tool, ...input }, defaultDocumentSettings)
  return { mapped, state, imported: 'record' in mapped ? mapped.record.state : 'rejected' }
}

test.each<[state: string, input: Input]>([
  ['hidden', { skill_md: '---\nname: tool\nprivate: true\n---\nText.' }],
  ['hidden', { skillMd: '---\nmetadata:\n  internal: true\n---\n', state: 'published' }],
  ['removed', { SKILL_MD: '\ufeff\n+++\nstatus = "deleted"\n+++\n' }],
  ['hidden', { skill_md: `---\nvisibility: private\n---\n${'x'.repeat(300_000)}` }],
  ['hidden', { content: '---\nname: tool\ndescription: Saws.\nprivate: true\n---\nText.' }],
  ['removed', { readme: '---\nname: tool\ndescription: Saws.\nmetadata:\n  status: deleted\n---\n' }],
  ['hidden', { front_matter: 'name: tool\ndescription: Saws.\nmetadata:\n  internal: true' }],
  ['hidden', { skill_md: '---\nstatus: wip\n---\n', hidden: true }],
])('front matter of a text withdraws a skill, however long the text is: %s', (state, input) => {
  expect(read(input)).toMatchObject({ imported: state, state })
})

test.each<[input: Input]>([
  [{ skill_md: '---\nname: tool\nlicense: MIT\n---\nprivate: true\n' }],
  [{ skill_md: '---\nname: tool\nname: other\n---\n' }],
  [{ skill_md: '---\nname: tool\ndescription: "open\nowner: other\n---\n' }],
  [{ readme: '---\nprivate: true\n---\n', skillMd: 'private: true' }],
  [{ content: '---\nname: tool\ndescription: Saws.\nstatus: wip\n---\n' }],
  [{ content: '---\nname: tool\ndescription: Saws.\nprivate: true\nprivate: false\n---\n' }],
  [{ frontmatter: 'name: tool\ndescription: Saws.\nlicense: MIT' }],
  [{ content: 'A text.\n---\nname: tool\ndescription: Saws.\nprivate: true\n---\n' }],
])('other text withdraws nothing: %j', (input) => {
  expect(read(input)).toMatchObject({ imported: 'published', state: 'published' })
})

test.each<[input: Input, reason: string]>([
  [{ skill_md: '---\nprivate: true\nprivate: false\n---\n' }, 'the front matter of its text: has "private" twice'],
  [{ skill_md: '---\nmetadata: {internal: true}\n  more\n---\n' }, 'may say that it is not published'],
  [{ skill_md: '---\nstatus: wip\n---\n' }, 'the front matter of its text: status: must say whether it is published'],
])('front matter of its SKILL.md that is not understood does not publish: %j', (input, reason) => {
  const { mapped, state } = read(input)

  expect('reason' in mapped && mapped.reason).toContain(reason)
  expect(state).toContain(reason)
})

test('a text of another member is not stored with the record that it withdraws', () => {
  const withText = (yaml: string) =>
    read({ rank: 3, content: `---\nname: tool\ndescription: Saws.\n${yaml}\n---\n` }).mapped

  expect(withText('private: true')).toMatchObject({ record: { rank: 3, state: 'hidden' } })
  expect(withText('private: true')).not.toHaveProperty('record.content')
  expect(withText('license: MIT')).toHaveProperty('record.content')
})
