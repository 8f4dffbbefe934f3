import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { findSources } from '../../services/indexer/import/find-sources.js'
import { mapRecord } from '../../services/indexer/import/map-record.js'
import { isPromptFile, readPromptMd } from '../../services/indexer/import/read-prompt-md.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const read = (path: string, text: string) => {
  const item = readPromptMd(path, text)
  const mapped = 'record' in item ? mapRecord('prompts', item.record) : item
  return 'record' in mapped ? mapped.record : mapped
}

test.each<[path: string, text: string, prompt: object]>([
  [
    '.claude/agents/reviewer.md',
    '---\nname: code-reviewer\ndescription: Reviews code.\ntools: Read\n---\n\nYou review code.\n',
    { title: 'code-reviewer', description: 'Reviews code.', content: 'You review code.' },
  ],
  [
    '.github/prompts/new-form.prompt.md',
    "---\nmode: 'agent'\n---\nMake a form.\n",
    { title: 'new-form', content: 'Make a form.' },
  ],
  [
    'patterns/extract_wisdom/system.md',
    '# IDENTITY\n\nYou read.',
    { title: 'extract_wisdom', content: '# IDENTITY\n\nYou read.' },
  ],
  ['commands/commit.md', 'Name: of the change first.', { title: 'commit', content: 'Name: of the change first.' }],
  [
    '.cursor/rules/strict.mdc',
    '---\ndescription: TypeScript\n---\nBe strict.',
    { title: 'strict', description: 'TypeScript' },
  ],
  [
    'commands/plan.toml',
    'description = "Plans."\nprompt = """\nPlan {{args}}.\n"""',
    { title: 'plan', content: 'Plan {{args}}.' },
  ],
  [
    'short.prompt.yml',
    'name: Shortener\nmodel: gpt-4o\nmessages:\n  - role: system\n    content: Be short.\n  - role: user\n    content: "{{input}}"\n',
    { title: 'Shortener', content: 'system: Be short.\n\nuser: {{input}}' },
  ],
  ['commands/own.md', '---\nhidden: true\n---\nMine.', { title: 'own', state: 'hidden' }],
])('%s is read as a prompt', (path, text, prompt) => {
  expect(read(path, text)).toMatchObject(prompt)
})

test.each([
  ['commands/empty.md', '---\ndescription: A.\n---\n', 'content: is missing'],
  ['short.prompt.yml', '- a\n- b\n', 'has no names and values'],
])('%s is rejected', (path, text, reason) => {
  expect(read(path, text)).toMatchObject({ reason })
})

test('in a checkout its path is its id, which stays when its text changes', () => {
  const checkout = { folder: '/kit', owner: 'Acme', repo: 'kit', url: 'https://github.com/Acme/kit', commit: null }
  const ids = ['One.', 'Two.'].map((text) => {
    const item = readPromptMd('/kit/.claude/commands/git/commit.md', text, checkout)
    return 'record' in item ? mapRecord('prompts', item.record) : item
  })
  const id = 'acme/kit/.claude/commands/git/commit.md'
  const url = 'https://github.com/Acme/kit/blob/HEAD/.claude/commands/git/commit.md'

  expect(ids).toMatchObject([
    { id, record: { url, content: 'One.' } },
    { id, record: { url, content: 'Two.' } },
  ])
})

test.each(['SKILL.md', 'README.md', 'prompts.csv', 'data.yml'])('%s is no prompt', (name) => {
  expect(isPromptFile(name)).toBe(false)
})

test('of a folder the files are read that are prompts by their names or their folders', async () => {
  const folder = temporaryFolder()
  const prompts = ['.claude/commands/git/commit.md', '.github/a.prompt.md', 'more.csv', 'prompts/b.md', 'rules/c.mdc']
  for (const path of [...prompts, '.claude/skills/pdf/SKILL.md', 'README.md', 'docs/guide.md', 'prompts/README.md']) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), 'x')
  }
  const { sources } = await findSources([folder], null, new AbortController().signal, null, 'prompts')

  expect(sources.map(({ label }) => basename(label)).sort()).toEqual(prompts.map((path) => basename(path)).sort())
})
