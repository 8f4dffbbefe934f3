import { describe, expect, test } from '@jest/globals'
import { mapRecord, parseRecord } from '../../services/indexer/import/map-record.js'

/** The stored record, or the reason of the rejection. */
const map = (source: Record<string, unknown>): Record<string, unknown> => {
  const mapped = mapRecord('skills', source)
  return 'reason' in mapped ? { id: mapped.id, reason: mapped.reason } : mapped.record
}

describe('owner and repository', () => {
  test('fields take precedence over the URL of the repository', () => {
    expect(map({ owner: 'acme', repo: 'pdf', url: 'https://github.com/fork/other' })).toMatchObject({
      id: 'acme/pdf',
      url: 'https://github.com/fork/other',
    })
    expect(map({ owner: 'acme', repo: 'pdf', full_name: 'x/y' })).toMatchObject({ id: 'acme/pdf', state: 'published' })
    expect(map({ Owner: '@Acme', 'Repo Name': 'PDF' })).toMatchObject({ id: 'acme/pdf', owner: 'Acme', repo: 'PDF' })
  })

  test.each([
    [{ repo: 'https://github.com/Acme/PDF' }, 'https://github.com/Acme/PDF'],
    [{ repo: 'git@github.com:Acme/PDF.git' }, 'https://github.com/Acme/PDF'],
    [{ repo: 'github.com/Acme/PDF', url: 'https://skills.example/pdf' }, 'https://github.com/Acme/PDF'],
    [{ owner: 'Acme', repo: 'https://github.com/acme/PDF/' }, 'https://github.com/acme/PDF/'],
    [{ repository: 'github:Acme/PDF' }, 'https://github.com/Acme/PDF'],
    [{ full_name: 'https://github.com/Acme/PDF' }, 'https://github.com/Acme/PDF'],
    [{ id: 'https://github.com/Acme/PDF' }, 'https://github.com/Acme/PDF'],
    [{ source: 'git@github.com:Acme/PDF.git' }, 'https://github.com/Acme/PDF'],
    [{ full_name: 'Acme/PDF.git' }, 'https://github.com/Acme/PDF'],
    [{ repo: 'Acme/PDF.git' }, null],
    [{ owner: 'Acme', repo: 'PDF.git' }, null],
  ])('%j is acme/pdf', (source, url) => {
    expect(map(source)).toMatchObject({ id: 'acme/pdf', owner: 'Acme', repo: 'PDF', skill: null, url })
  })

  test.each([
    [{ name: '@acme/pdf', repository: { url: 'git+https://github.com/acme/kit.git', directory: 'packages/pdf' } }],
    [
      {
        name: 'io.acme/pdf',
        repository: { url: 'https://github.com/acme/kit', source: 'github', subfolder: 'packages/pdf' },
      },
    ],
  ])('%j is a skill of its repository', (source) => {
    expect(map(source)).toMatchObject({ id: 'acme/kit@pdf', path: 'packages/pdf', url: 'https://github.com/acme/kit' })
  })

  test.each([
    [{ source: { repo: 'https://github.com/acme/kit', path: 'skills/pdf' } }],
    [{ source: { type: 'github', repo: 'acme/kit', url: 'https://github.com/acme/kit', subpath: 'skills/pdf' } }],
    [{ id: 'provider/pdf', source: { url: 'https://github.com/acme/kit', path: 'skills/pdf' } }],
    [{ Source: { Repo: 'acme/kit', Path: 'skills/pdf' } }],
    [{ source: { type: 'github', owner: 'acme', repo: 'kit', path: 'skills/pdf' } }],
    [{ Repository: { FullName: 'acme/kit' }, path: 'skills/pdf' }],
    [{ Repository: { Name: 'kit', Owner: { Login: 'acme' } }, path: 'skills/pdf' }],
  ])('%j says whose it is by its source', (source) => {
    const parsed = parseRecord(JSON.stringify({ name: 'pdf', ...source }))

    expect('record' in parsed && map(parsed.record)).toMatchObject({ id: 'acme/kit@pdf', path: 'skills/pdf' })
  })

  test.each([
    [{ 'repository.full_name': 'acme/kit', 'repository.owner.login': 'acme', 'repository.name': 'kit' }],
    [{ repo_full_name: 'acme/kit' }],
    [{ repo_owner: 'acme', repo_name: 'kit' }],
    [{ repositoryOwner: { login: 'acme' }, repositoryName: 'kit' }],
  ])('%j is that of a search in code as a table', (repository) => {
    expect(map({ name: 'SKILL.md', path: 'skills/pdf/SKILL.md', ...repository })).toMatchObject({
      id: 'acme/kit@pdf',
      name: 'pdf',
    })
  })

  test.each([
    [{ owner: 'acme', repository: 'kit', name: 'PDF' }, 'acme/kit'],
    [{ Owner: 'acme', Repository: 'kit.git' }, 'acme/kit'],
    [{ owner: 'acme', repository: 'kit', slug: 'pdf' }, 'acme/kit@pdf'],
    [{ owner: 'acme', repo: 'kit', repository: 'git' }, 'acme/kit'],
    [{ owner: 'acme', repository: 'https://github.com/acme/kit', name: 'PDF' }, 'acme/kit'],
    [{ full_name: 'acme/kit', repository: 'git' }, 'acme/kit'],
  ])('%j has the name of its repository without its owner', (source, id) => {
    expect(map(source)).toMatchObject({ id })
  })

  test('the name of a repository is no odd address', () => {
    expect(mapRecord('skills', { owner: 'acme', repository: 'kit' })).toMatchObject({ dropped: [] })
  })

  test('a source does not replace the repository next to it', () => {
    const record = { full_name: 'jane/kit', source: { repo: 'acme/kit', path: 'skills/pdf' } }

    expect(parseRecord(JSON.stringify(record))).toEqual({ record })
  })

  test('the folder of a repository that is its root makes none', () => {
    const repository = { url: 'https://github.com/acme/kit', directory: '.' }

    expect(map({ name: 'pdf', repository })).toMatchObject({ id: 'acme/kit', path: '' })
  })

  test.each(['github', 'source_code_url', 'clone_url', 'git_url', 'Source Code'])('%s may be its address', (name) => {
    expect(map({ [name]: 'https://github.com/acme/kit.git' })).toMatchObject({ url: 'https://github.com/acme/kit' })
    expect(map({ [name]: 'https://github.com/acme/kit', html_url: 'https://codeberg.org/jane/kit' })).toMatchObject({
      id: 'jane/kit',
    })
  })

  test('a source names the repository next to the address of a page elsewhere', () => {
    const url = 'https://skills.example/pdf'

    expect(map({ source: 'acme/kit', url })).toMatchObject({ id: 'acme/kit', url })
    expect(map({ source: 'acme/kit', owner: 'jane', name: 'pdf', url })).toMatchObject({ id: 'jane/pdf', url })
  })

  test('an address in the place of a full name is no fault', () => {
    expect(mapRecord('skills', { full_name: 'https://github.com/acme/pdf' })).toMatchObject({ dropped: [] })
  })

  test('a name that looks like a host is a name', () => {
    expect(map({ owner: 'acme', repo: 'socket.io' })).toMatchObject({ id: 'acme/socket.io', url: null })
    expect(map({ repo: 'acme.js/socket.io' })).toMatchObject({ id: 'acme.js/socket.io', url: null })
  })

  test.each([
    [{ full_name: 'acme/pdf', owner: "{'login': 'acme', 'id': 1}" }, []],
    [{ full_name: 'acme/pdf', owner: 'Acme Inc.' }, [expect.stringMatching(/^owner: must be .*not "Acme Inc\."$/)]],
    [{ html_url: 'https://github.com/acme/pdf', owner: 'Acme Inc.', repo: 'PDF' }, [expect.stringMatching(/^owner/)]],
    [{ full_name: 'acme/pdf', owner: 'jane' }, ['owner: must be that of acme/pdf, not "jane"']],
    [{ html_url: 'https://github.com/acme/pdf', owner: { login: 'jane' } }, [expect.stringMatching(/^owner: .*acme/)]],
    [{ full_name: 'acme/pdf', repo: 'The PDF' }, [expect.stringMatching(/^repo: must be/)]],
  ])('an odd one costs nothing where the whole name is known: %j', (source, dropped) => {
    expect(mapRecord('skills', source)).toMatchObject({ id: 'acme/pdf', dropped })
  })

  test.each([
    [{ html_url: 'https://github.com/acme/pdf', owner: 'Jane Inc.', repo: 'csv' }, /^owner: must be/],
    [{ name: 'pdf' }, /needs owner and repo/],
    [{ org: 'acme', repo: 'pdf' }, /^repo: must be owner\/repo without an owner next to it, not "pdf"$/],
    [{ repo: 'https://git.example/acme/pdf' }, /^repo: must be owner\/repo without .*, not "https:\/\/git/],
    [{ slug: 'pdf' }, /needs owner and repo/],
    [{ owner: 'ac me', repo: 'pdf' }, /^owner: must be .*not "ac me"/],
    [{ owner: 'acme', repo: '../etc' }, /^repo: must be/],
    [{ owner: ['acme'], repo: 'pdf' }, /^owner: must be text/],
    [{ full_name: 'x/y/z/a' }, /^full_name: must be owner\/repo, not "x\/y\/z\/a"$/],
    [{ full_name: 'x/y/z/a', name: 'z', id: 7 }, /^full_name: must be owner\/repo, not "x\/y\/z\/a"$/],
    [{ nameWithOwner: 7 }, /^nameWithOwner: must be owner\/repo, not 7$/],
    [
      { url: 'https://acme.example/pdf' },
      /^url: must be the address of an owner\/repo at github\.com, .*, not "https:\/\/acme\.example\/pdf"$/,
    ],
    [{ url: 'https://gitlab.com/group/sub/tool' }, /^url: must be the address of an owner\/repo at/],
    [{ html_url: 'https://github.com/acme' }, /^html_url: must be the address of an owner\/repo at/],
    [{ full_name: 'x', repo_url: 'y' }, /^full_name: must be owner\/repo, not "x"; repo_url: must be the address/],
  ])('%j is rejected', (source, reason) => {
    expect(map(source)).toEqual({ id: null, reason: expect.stringMatching(reason) })
  })
})

describe('one of several skills of a repository', () => {
  const repository = { owner: 'Acme', repo: 'Skills' }

  test.each([
    [{ ...repository, skill: 'pdf' }, null],
    [{ ...repository, skill_name: 'PDF' }, null],
    [{ owner: 'Acme', repo: 'Skills', slug: 'pdf', name: 'PDF tools' }, null],
    [{ namespace: 'Acme', slug: 'pdf', gitUrl: 'https://github.com/Acme/Skills/tree/main/skills/pdf' }, 'skills/pdf'],
    [{ slug: 'pdf', title: 'PDF tools', github: 'https://github.com/Acme/Skills' }, null],
    [{ full_name: 'Acme/Skills', slug: 'pdf' }, null],
    [{ objectID: 'Acme/Skills@pdf' }, null],
    [{ source: 'Acme/Skills', skillId: 'pdf', name: 'pdf' }, null],
    [{ id: 'Acme/Skills/pdf', source: 'Acme/Skills' }, null],
    [{ full_name: 'Acme/Skills@pdf' }, null],
    [{ repo: 'Acme/Skills@pdf' }, null],
    [{ repo: 'Acme/Skills', name: 'pdf', path: '' }, null],
    [{ repo: 'https://github.com/Acme/Skills', name: 'pdf' }, null],
    [{ repo: 'https://github.com/Acme/Skills/tree/main/skills/pdf', name: 'pdf' }, 'skills/pdf'],
    [{ repo: 'Acme/Skills', name: 'pdf', path: 'plugins/all/pdf' }, 'plugins/all/pdf'],
    [{ ...repository, name: 'PDF tools', path: 'skills/pdf/SKILL.md' }, 'skills/pdf'],
    [{ ...repository, name: 'pdf', skill_path: './skills/tools/' }, 'skills/tools'],
    [{ name: 'pdf', githubUrl: 'https://github.com/Acme/Skills/tree/main/skills/pdf' }, 'skills/pdf'],
    [{ name: 'PDF', html_url: 'https://github.com/Acme/Skills/blob/main/skills/pdf/SKILL.md' }, 'skills/pdf'],
    [{ skill_name: 'PDF', url: 'https://github.com/Acme/Skills/tree/main/tools/pdf' }, 'tools/pdf'],
    [{ skill_name: 'pdf', url: 'https://github.com/Acme/Skills/tree/main/skills/tools' }, null],
    [{ name: 'Fill forms', url: 'https://github.com/Acme/Skills/tree/main/skills/pdf' }, 'skills/pdf'],
    [{ url: 'https://raw.githubusercontent.com/Acme/Skills/main/tools/pdf/SKILL.md' }, 'tools/pdf'],
    [
      { name: 'Forms!', url: 'https://codeberg.org/Acme/Skills/src/branch/main/.claude/skills/pdf' },
      '.claude/skills/pdf',
    ],
  ])('%j is acme/skills@pdf', (source, path) => {
    expect(map(source)).toMatchObject({ id: 'acme/skills@pdf', owner: 'Acme', repo: 'Skills', skill: 'pdf', path })
  })

  test.each([
    [{ ...repository, skill: 'pdf', path: '' }, ''],
    [{ ...repository, skill: 'pdf', path: 'SKILL.md' }, ''],
    [{ ...repository, name: 'pdf' }, null],
    [{ ...repository, slug: 'skills' }, null],
    [{ full_name: 'Acme/Skills', slug: 'acme-skills' }, null],
    [{ repo: 'Acme/Skills', slug: 'skills', name: 'pdf' }, null],
    [{ ...repository, skillId: '4711' }, null],
    [{ ...repository, skill: '0b7f3c1e-9d1a-4b52-8a55-0c9f6f0c8f11' }, null],
    [
      {
        id: 'acme/skills',
        owner: 'Acme',
        repo: 'Skills',
        name: 'pdf',
        url: 'https://github.com/Acme/Skills/tree/main/pdf',
      },
      null,
    ],
    [{ repo: 'Acme/Skills', name: 'skills' }, null],
    [{ repo: 'Acme/Skills', name: 'All of our skills' }, null],
    [{ html_url: 'https://github.com/Acme/Skills/tree/main/skills', name: 'Skills of Acme' }, null],
    [{ html_url: 'https://github.com/Acme/Skills/tree/skills/tools', name: 'Tools of Acme' }, null],
    [{ html_url: 'https://github.com/Acme/Skills/tree/main/skills/tools', name: 'skills' }, null],
    [{ html_url: 'https://github.com/Acme/Skills/blob/main/SKILL.md', name: 'Tools of Acme' }, null],
  ])('%j is acme/skills', (source, path) => {
    expect(map(source)).toMatchObject({ id: 'acme/skills', skill: null, path })
  })

  test.each([
    ['Café Émile', 'cafe-emile'],
    ['Docker_Hub  Automation', 'docker-hub-automation'],
    ['-2chat-automation-', '2chat-automation'],
    ['x'.repeat(70), expect.stringMatching(/^x{55}-[0-9a-f]{8}$/)],
    ['数据分析', expect.stringMatching(/^skill-[0-9a-f]{8}$/)],
  ])('%j is folded to a name of a skill', (skill, expected) => {
    expect(map({ ...repository, skill })['skill']).toEqual(expected)
  })

  test.each<[item: object, read: object]>([
    [
      { repo: 'acme/kit', stars: 3, skill: { name: 'pdf', description: 'D.' } },
      { name: 'pdf', description: 'D.', stars: 3 },
    ],
    [
      { owner: 'acme', repo: 'kit', skill: { slug: 'pdf', displayName: 'PDF' } },
      { name: 'PDF', path: null },
    ],
    [{ full_name: 'acme/kit', skill: { name: 'pdf', private: true } }, { state: 'hidden' }],
    [{ full_name: 'acme/kit', private: true, skill: { name: 'pdf', path: 'skills/pdf' } }, { state: 'hidden' }],
  ])('it may be in an object next to the names of the repository: %j', (item, read) => {
    const parsed = parseRecord(JSON.stringify(item))

    expect('record' in parsed && map(parsed.record)).toMatchObject({ id: 'acme/kit@pdf', state: 'published', ...read })
  })

  test('an object about the skill of a record that has a name itself is none', () => {
    const parsed = parseRecord('{"full_name": "acme/kit", "name": "Kit", "skill": {"name": "pdf"}}')

    expect('record' in parsed && mapRecord('skills', parsed.record)).toMatchObject({
      record: { id: 'acme/kit', name: 'Kit' },
      dropped: ['skill: must be the name of a skill, not {"name":"pdf"}'],
    })
  })
})

test.each([
  [{ owner: 'acme', name: 'acme/kit' }, 'acme/kit'],
  [{ owner: '@acme', name: 'acme/kit@pdf' }, 'acme/kit@pdf'],
  [{ name: 'acme/kit', url: 'https://git.example.com/acme/kit' }, 'acme/kit'],
  [{ owner: 'acme', name: 'acme/pdf', url: 'https://github.com/acme/kit' }, 'acme/kit'],
  [{ owner: 'acme', repo: 'kit', name: 'acme/pdf' }, 'acme/kit'],
])('a name may be a full name that its owner or address has as well: %j', (source, id) => {
  expect(map(source)).toMatchObject({ id })
})

test.each([
  [{ name: 'acme/kit' }, 'name: "acme/kit" may be a title, so write it as full_name if it is owner/repo'],
  [{ name: 'TCP/IP', url: 'https://a.example/tcp/ip' }, expect.stringMatching(/; name: "TCP\/IP" may be a title/)],
  [{ name: '@acme/kit', description: 'A.' }, expect.stringMatching(/^it does not say whose it is/)],
  [{ name: 'TCP/IP helper' }, expect.stringMatching(/^it does not say whose it is/)],
  [{ owner: 'acme', name: 'tcp/ip' }, expect.stringMatching(/^repo: must be .*not "tcp\/ip"/)],
])('any other name with a slash names no repository: %j', (source, reason) => {
  expect(mapRecord('skills', source)).toMatchObject({ id: null, reason })
})

test.each([
  [{ repo: 'Acme/Kit', slug: 'acme-kit-pdf', skill_path: 'skills/pdf' }, 'pdf'],
  [{ owner: 'Acme', repo: 'Kit', slug: 'acme-kit-skills-pdf', path: 'skills/pdf/SKILL.md' }, 'pdf'],
  [{ url: 'https://github.com/Acme/Kit/tree/main/skills/pdf', slug: 'acme-kit-pdf' }, 'pdf'],
  [{ repo: 'Acme/Kit', slug: 'acme-kit-pdf', name: 'pdf-tools', skill_path: 'skills/pdf' }, 'pdf-tools'],
  [{ repo: 'Acme/Kit', slug: 'pdf-tools', skill_path: 'skills/pdf' }, 'pdf-tools'],
  [{ repo: 'Acme/Kit', slug: 'acme-kit-pdf' }, 'acme-kit-pdf'],
  [{ repo: 'Acme/Kit', slug: 'acme-kit-docx', skill_path: 'skills/pdf' }, 'acme-kit-docx'],
])('a slug that has the names of repository and folder is none of a skill: %j', (source, skill) => {
  expect(map(source)).toMatchObject({ skill })
})
