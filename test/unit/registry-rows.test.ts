import { expect, test } from '@jest/globals'
import { mapRecord, parseRecord } from '../../services/indexer/import/map-record.js'

const read = (row: object): object => {
  const parsed = parseRecord(JSON.stringify(row))
  const mapped = 'record' in parsed ? mapRecord('skills', parsed.record) : parsed
  return 'record' in mapped ? mapped.record : mapped
}

test.each<[what: string, row: object, skill: object]>([
  [
    'an extension in a gallery',
    { fullName: 'acme/kit', repoDescription: 'A kit.', extensionDescription: 'Reads PDF.', extensionVersion: '0.4.0' },
    { id: 'acme/kit', description: 'Reads PDF.', version: '0.4.0' },
  ],
  ['a repository', { repo: 'acme/kit', repo_description: 'A kit.' }, { id: 'acme/kit', description: 'A kit.' }],
  ['one of its skills', { repo: 'acme/kit', skill: 'pdf', repo_description: 'A kit.' }, { description: null }],
  ['a skill in a repository', { repository: 'acme/kit', name: 'pdf' }, { id: 'acme/kit@pdf', skill: 'pdf' }],
  [
    'a skill next to the address of its repository',
    { repo: { url: 'https://gitlab.com/acme/kit.git', stars: 4, private: true }, name: 'pdf' },
    { id: 'acme/kit@pdf', url: 'https://gitlab.com/acme/kit', stars: 4, state: 'hidden' },
  ],
  [
    'a repository of an event',
    { repo: { id: 1, name: 'acme/kit', url: 'https://api.github.com/repos/acme/kit' }, description: 'A.' },
    { id: 'acme/kit', name: 'kit', description: 'A.', url: 'https://github.com/acme/kit' },
  ],
  ['a skill in a repository with a name', { repository: { name: 'acme/kit' }, name: 'pdf' }, { id: 'acme/kit@pdf' }],
  [
    'a package of a repository',
    { repository: { type: 'git', url: 'git+https://github.com/acme/kit.git' }, name: '@acme/pdf' },
    { id: 'acme/kit', name: '@acme/pdf', skill: null },
  ],
  ['a repository with a title', { repository: 'acme/kit', name: 'PDF Kit' }, { id: 'acme/kit', skill: null }],
  ['a page of a repository', { repository: 'https://github.com/acme/kit', name: 'pdf' }, { id: 'acme/kit' }],
  [
    'a folder next to the address of its repository',
    { repo: { url: 'https://github.com/acme/kit', path: 'skills/pdf' }, name: 'PDF Tools' },
    { id: 'acme/kit@pdf', name: 'PDF Tools', path: 'skills/pdf' },
  ],
  [
    'a folder in the object of its repository',
    { name: 'PDF Tools', repository: { url: 'https://github.com/acme/kit', path: 'skills/pdf' } },
    { id: 'acme/kit@pdf', path: 'skills/pdf' },
  ],
  [
    'the path of its repository',
    { name: 'PDF Tools', repository: { url: 'https://gitlab.com/acme/kit', path: 'kit' } },
    { id: 'acme/kit', path: null },
  ],
  ['both names as a path', { name: 'Kit', repo: { full_name: 'acme/kit', path: '/acme/kit' } }, { path: null }],
  [
    'a package of npm with its links',
    { name: '@acme/kit', links: { homepage: 'https://a.example/kit', repository: 'https://github.com/acme/kit' } },
    { id: 'acme/kit', homepage: 'https://a.example/kit' },
  ],
  [
    'a package whose home is its repository',
    { info: { name: 'kit', project_urls: { Homepage: 'https://github.com/acme/kit#readme' } } },
    { id: 'acme/kit', url: 'https://github.com/acme/kit' },
  ],
  [
    'a home page that is its repository',
    { id: 7, name: 'pdf', homepage: 'https://github.com/acme/kit#readme' },
    { id: 'acme/kit', name: 'pdf', homepage: 'https://github.com/acme/kit#readme' },
  ],
  ['a home page of another one', { full_name: 'acme/kit', homepage: 'https://github.com/acme/x' }, { id: 'acme/kit' }],
  ['a home of another one', { repo: 'acme/kit', links: { home: 'https://github.com/acme/x' } }, { id: 'acme/kit' }],
  [
    'its category, where it has no tags',
    { repo: 'acme/kit', category: 'Documents', tags: [] },
    { topics: ['documents'] },
  ],
  [
    'a skill under its title',
    { 'Skill Name': 'PDF Reader', repo: 'acme/kit' },
    { id: 'acme/kit@pdf-reader', name: 'PDF Reader' },
  ],
  ['a skill with an address', { skill: 'pdf kim@acme.example', repo: 'acme/kit' }, { name: 'pdf-kim-acme-example' }],
  ['no folder', { repo: 'acme/kit', name: 'pdf', directory: 'Developer Tools' }, { id: 'acme/kit@pdf', path: null }],
  [
    'a version with a licence',
    { slug: 'pdf', ownerHandle: 'jane', latestVersion: { version: '1.0.0', license: 'MIT-0' } },
    { id: 'jane/pdf', version: '1.0.0', license: 'MIT-0' },
  ],
  [
    'a licence of its own',
    { full_name: 'acme/kit', license: 'MIT', latestVersion: { license: 'ISC' } },
    { license: 'MIT' },
  ],
  [
    'the line that installs it',
    { name: 'PDF', install: 'npx skills add acme/kit --skill pdf' },
    { id: 'acme/kit@pdf', name: 'PDF', url: null },
  ],
  [
    'that line next to its address',
    {
      name: 'PDF',
      url: 'https://github.com/acme/kit',
      install_command: 'npx skills add https://github.com/acme/kit -s pdf',
    },
    { id: 'acme/kit@pdf', url: 'https://github.com/acme/kit' },
  ],
  [
    'that line next to another address',
    { name: 'PDF', url: 'https://github.com/acme/own', install: 'npx skills add acme/kit@pdf' },
    { id: 'acme/own' },
  ],
  [
    'an item of n8n',
    { json: { full_name: 'acme/kit', private: true }, pairedItem: { item: 0 } },
    { id: 'acme/kit', name: 'kit', state: 'hidden' },
  ],
  [
    'a package of PyPI',
    {
      info: {
        name: 'kit',
        license: '',
        license_expression: 'MIT',
        project_urls: { 'Source Code': 'https://github.com/acme/kit' },
      },
      releases: {},
    },
    { id: 'acme/kit', license: 'MIT', url: 'https://github.com/acme/kit' },
  ],
  [
    'what the object of its repository says',
    { name: 'PDF', license: 'ISC', repository: { url: 'https://github.com/acme/kit', stars: 5, license: 'MIT' } },
    { id: 'acme/kit', license: 'ISC', stars: 5 },
  ],
  [
    'its stars next to a repository',
    { name: 'PDF', repoUrl: 'https://github.com/acme/kit', github: { stars: 5 }, metrics: { forks: 2 } },
    { id: 'acme/kit', stars: 5, forks: 2 },
  ],
  [
    'what Strapi links it with',
    {
      repo: 'acme/kit',
      license: { data: { id: 1, attributes: { name: 'MIT' } } },
      tags: { data: [{ id: 2, attributes: { name: 'pdf' } }] },
    },
    { license: 'MIT', topics: ['pdf'] },
  ],
  ['a slug of Sanity', { repo: 'acme/kit', slug: { _type: 'slug', current: 'pdf' } }, { id: 'acme/kit@pdf' }],
  ['the key of a row', { repo: 'acme/kit', skillId: 'k57e9cm2v8y3n4p5q6r7s8t9a0b1c2d3' }, { id: 'acme/kit' }],
  [
    'times of other programs',
    { repo: 'acme/kit', createdAt: { value: '2026-01-01' }, updatedAt: { __type: 'Date', iso: '2026-02-01' } },
    { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-02-01T00:00:00.000Z' },
  ],
  ['its id in a repository', { repo_full_name: 'acme/kit', id: 'acme/kit/pdf' }, { id: 'acme/kit@pdf' }],
  ['its id with a version', { full_name: 'acme/kit', id: 'acme/kit@1.2.0' }, { id: 'acme/kit' }],
  [
    'the file in a folder of its own name',
    { repo: 'acme/kit', file_path: 'skills/pdf/SKILL.md', name: 'PDF Tool', tag_list: ['a'] },
    { id: 'acme/kit@pdf', path: 'skills/pdf', topics: ['a'] },
  ],
  ['another file', { repo: 'acme/kit', file_path: 'docs/pdf.md', subdir: '' }, { id: 'acme/kit', path: null }],
  ['a folder of a machine', { repo: 'acme/kit', directory: '/home/jane/pdf' }, { id: 'acme/kit', path: null }],
  [
    'the address of its text',
    { name: 'PDF', raw_url: 'https://raw.githubusercontent.com/acme/kit/main/skills/pdf/SKILL.md' },
    { id: 'acme/kit@pdf', path: 'skills/pdf' },
  ],
  ['a whole licence', { repo: 'acme/kit', license: 'MIT License\n\nCopyright (c) Jane Doe\n' }, { license: 'MIT' }],
  ['terms', { repo: 'acme/kit', license: 'Ask us.\nThen wait.' }, { license: 'Ask us. Then wait.' }],
  [
    'its page at skills.sh',
    { name: 'PDF', url: 'https://skills.sh/acme/kit/pdf' },
    { id: 'acme/kit@pdf', name: 'PDF', url: 'https://skills.sh/acme/kit/pdf' },
  ],
  [
    'the front matter of its text',
    {
      repo: 'acme/kit',
      skill_path: 'skills/pdf/SKILL.md',
      frontmatter: { name: 'pdf', description: 'Reads.', stars: 9, metadata: { internal: true } },
    },
    { id: 'acme/kit@pdf', description: 'Reads.', stars: null, state: 'hidden' },
  ],
  [
    'the address of a skill, and what it says',
    { skill_name: 'pdf', skill_description: 'Reads.', skill_url: 'https://github.com/acme/kit/tree/main/pdf' },
    { id: 'acme/kit@pdf', description: 'Reads.', path: 'pdf' },
  ],
  [
    'a SKILL.md as GitHub answers it',
    {
      name: 'SKILL.md',
      path: 'skills/pdf/SKILL.md',
      html_url: 'https://github.com/acme/kit/blob/main/skills/pdf/SKILL.md',
      type: 'file',
      content: Buffer.from('---\nname: pdf\nmetadata:\n  internal: true\n---\n# PDF\n').toString('base64'),
      encoding: 'base64',
    },
    { id: 'acme/kit@pdf', name: 'pdf', digest: expect.stringMatching(/^sha256:/), state: 'hidden' },
  ],
  ['another line', { repo: 'acme/kit', install: 'clawhub install pdf' }, { id: 'acme/kit' }],
  [
    'a namespace next to the key of a user',
    { namespace: 'acme', slug: 'pdf', owner: '1f0c8a52-2b1d-4a0e-9f6e-1d2c3b4a5f60' },
    { id: 'acme/pdf' },
  ],
  [
    'a namespace next to the name of an organization',
    { namespace: 'acme', slug: 'pdf', owner: { type: 'organization', name: 'Acme Works' } },
    { id: 'acme/pdf' },
  ],
])('a row is read: %s', (_what, row, skill) => {
  expect(read(row)).toMatchObject(skill)
})

test('a version without a licence costs nothing', () => {
  expect(mapRecord('skills', { full_name: 'acme/kit', version: '1.0.0' })).toMatchObject({ dropped: [] })
})

test('of the contents of a repository, folders and a SKILL.md may be skills, and other files are none', () => {
  const page = 'https://github.com/acme/kit'
  const entry = { sha: 'a', git_url: 'https://api.github.com/a', download_url: null }

  expect(
    read({ ...entry, type: 'dir', name: 'pdf', path: 'skills/pdf', html_url: `${page}/tree/main/skills/pdf` }),
  ).toMatchObject({ id: 'acme/kit@pdf' })
  expect(
    read({
      ...entry,
      type: 'file',
      name: 'README.md',
      path: 'skills/README.md',
      html_url: `${page}/blob/main/skills/README.md`,
    }),
  ).toEqual({ reason: 'is no record: it is a file of a repository' })
})
