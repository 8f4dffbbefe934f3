import { describe, expect, test } from '@jest/globals'
import { readSkillMd } from '../../services/indexer/import/read-skill-md.js'

const read = (content: string, path = '/skills/acme/pdf/SKILL.md') =>
  readSkillMd(path, '/skills', { head: Buffer.from(content), digest: 'sha256:d' })

test('the front matter has the skill, and its path the owner and repository', () => {
  const content =
    '\ufeff---\r\nname: PDF tools\r\ndescription: >\r\n  Reads\r\n  PDF.\r\ntags: [pdf, ocr]\r\nversion: 1.10\r\nlicense: null\r\n---\r\n# Text\r\n---\r\n'

  expect(read(content)).toEqual({
    place: 'front matter',
    identity: { owner: 'acme', repo: 'pdf', path: '' },
    record: {
      name: 'PDF tools',
      description: 'Reads PDF.\n',
      tags: ['pdf', 'ocr'],
      version: '1.10',
      owner: 'acme',
      repo: 'pdf',
      path: '',
      digest: 'sha256:d',
    },
    sizeBytes: expect.any(Number),
    dropped: [],
  })
})

test('another page of Markdown is a skill only by its front matter', () => {
  const page = '# Notes\n\nThings to do at home.\n'

  expect(read(page, '/skills/acme/pdf/notes.md')).toMatchObject({ reason: expect.stringContaining('is no SKILL.md') })
  expect(read(`---\nname: notes\n---\n${page}`, '/skills/acme/pdf/notes.md')).toHaveProperty('record.name', 'notes')
  expect(read(page)).toHaveProperty('record.name', 'Notes')
})

test('metadata is used too, but other fields take precedence', () => {
  expect(read('---\nversion: 2\nmetadata:\n  version: 1\n  author: Jane\n---\n')).toMatchObject({
    record: { version: '2', author: 'Jane' },
  })
})

test.each([
  ['acme/web/.claude/skills/notes', { skill: 'notes', path: '.claude/skills/notes' }],
  ['acme/web/skills/.curated/mail', { skill: 'mail', path: 'skills/.curated/mail' }],
  ['acme/web', { path: '' }],
])('the first two folders are owner and repository, the others its folder: %s', (path, place) => {
  expect(read('---\ndescription: a\n---\n', `/skills/${path}/SKILL.md`)).toMatchObject({
    record: { owner: 'acme', repo: 'web', ...place },
  })
})

test('in a checkout the whole path is its folder, and its name is that of the front matter', () => {
  const checkout = { folder: '/src', owner: 'acme', repo: 'web', url: 'https://git.example/acme/web', commit: 'c0ffee' }
  const { folder: _, ...known } = checkout

  expect(
    readSkillMd('/src/skills/a/SKILL.md', checkout, {
      head: Buffer.from('---\nname: pdf\nurl: https://x.example\n---\n'),
      digest: 'sha256:d',
    }),
  ).toMatchObject({
    record: { ...known, name: 'pdf', skill: 'pdf', path: 'skills/a' },
  })
  expect(
    readSkillMd('/src/SKILL.md', checkout, { head: Buffer.from('---\nname: pdf\n---\n'), digest: 'sha256:d' }),
  ).toEqual({
    place: 'front matter',
    identity: { ...known, path: '' },
    record: { ...known, name: 'pdf', path: '', digest: 'sha256:d' },
    sizeBytes: expect.any(Number),
    dropped: [],
  })
})

test('in a checkout the address of another repository is left out', () => {
  const checkout = { folder: '/src', owner: 'Acme', repo: 'kit', url: 'https://github.com/Acme/kit', commit: null }
  const readFrom = (address: string) =>
    readSkillMd('/src/a/SKILL.md', checkout, {
      head: Buffer.from(`---\nname: pdf\nrepository: ${address}\n---\n`),
      digest: 'sha256:d',
    })

  expect(readFrom('https://github.com/jane/kit')).toMatchObject({
    record: expect.not.objectContaining({ repository: expect.anything() }),
    dropped: ['repository: must be that of its repository, not "https://github.com/jane/kit"'],
  })
  expect(readFrom('https://github.com/acme/kit/tree/main/a')).toMatchObject({ dropped: [] })
})

test('a folder with a dot in the place of an owner or a repository names none', () => {
  expect(read('---\nname: a\n---\n', '/skills/.claude/skills/notes/SKILL.md')).toMatchObject({ record: { name: 'a' } })
})

test('without owner and repository in the path, the front matter may have them', () => {
  expect(read('---\nrepository: acme/pdf\n---\n', '/skills/SKILL.md')).toMatchObject({
    record: { repository: 'acme/pdf' },
  })
})

test('a folder of any name is an owner or a repository, and no two folders are one', () => {
  const repoOf = (folder: string) => {
    const item = read('---\nname: a\n---\n', `/skills/acme/${folder}/SKILL.md`)
    return 'record' in item ? String(item.record['repo']) : item.reason
  }
  const folders = ['面包计时器', '計時', 'Brot & Käse', 'Brot-Kase', 'bread timer', 'x'.repeat(150), 'x'.repeat(151)]

  const repos = folders.map(repoOf)

  expect(repos[2]).toMatch(/^Brot-Kase-[0-9a-f]{8}$/)
  expect(repos[3]).toBe('Brot-Kase')
  expect(new Set(repos).size).toBe(folders.length)
  expect(repos.filter((repo) => !/^[\w.-]{1,100}$/.test(repo))).toEqual([])
  // As a Mac stores it.
  expect(repoOf('Brot & Käse'.normalize('NFD'))).toBe(repos[2])
})

describe('rejected files', () => {
  test.each([
    ['', /is missing, and no text is there/],
    [' \n<!-- nothing -->\n', /is missing, and no text is there/],
    ['# No front matter\n', /is missing, and no text is there/],
    ['---\n---\n', /is missing, and no text is there/],
    ['---\n- a\n---\n', /must be a list of names and values/],
    ['version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 1\n', /is in Git LFS/],
    ['../shared/pdf/SKILL.md', /is only the path of another file/],
    ['---\nname: {{name}}\ndescription: {{about}}\n---\n# {{name}}\n\n<text>\n', /is that of a template/],
    [
      '---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c]\n---\n',
      /is not valid YAML: .*alias/,
    ],
  ])('%j', (content, reason) => {
    expect(read(content)).toEqual({
      place: 'front matter',
      identity: { owner: 'acme', repo: 'pdf', path: '' },
      reason: expect.stringMatching(reason),
    })
  })

  test.each([
    ['lists', `a: ${'['.repeat(70)}${']'.repeat(70)}`],
    ['thousands of lists', `a: ${'['.repeat(60_000)}`],
    ['thousands of objects', `a: ${'{'.repeat(60_000)}`],
    ['items', `${'- '.repeat(30_000)}a`],
    ['keys', `${'? '.repeat(30_000)}a`],
    ['indented lines', Array.from({ length: 300 }, (_, level) => `${' '.repeat(level)}a:`).join('\n')],
  ])('%s in each other, nested too deeply', (_what, yaml) => {
    expect(read(`---\n${yaml}\n---\n`)).toMatchObject({ reason: 'is nested deeper than 64 levels' })
  })
})

const description = 'Starts a timer.'
const members = `name: bread\ndescription: ${description}`

test.each<[what: string, content: string]>([
  ['below a note of several lines', `<!--\nLicence\n-->\n---\n${members}\n---\n`],
  ['below a heading', `# Bread\n\n---\n${members}\n---\n`],
  ['below what a model says', `Here is the skill:\n\n---\n${members}\n---\n`],
  ['never closed', `---\n${members}\n\n# Bread\n\nNote: version: 2\n`],
  [
    'never closed, with lines between',
    `---\r\n${members}\r\n\r\n# Bread\r\n\r\nUse it: so\r\n\r\n---\r\n\r\nMore.\r\n`,
  ],
  ['never opened', `${members}\n---\n# Bread\n`],
  ['without lines of hyphens', `${members}\n\n# Bread\n`],
  ['between dashes', `—\n${members}\n—\n`],
  ['closed as YAML closes it', `---\n${members}\n...\n# Bread\n`],
  ['indented', `  ---\n  ${members.replace('\n', '\n  ')}\n  ---\n`],
  ['after a hidden character', `\u200b---\n${members}\n---\n`],
  ['after two marks', `\ufeff\ufeff---\n${members}\n---\n`],
  ['with old line breaks', `---\r${members.replace('\n', '\r')}\r---\r`],
  ['in a block of code', `\`\`\`yaml\n${members}\n\`\`\`\n# Bread\n`],
  ['in a file that is a block of code', `\`\`\`markdown\n---\n${members}\n---\n# Bread\n\`\`\`\n`],
  ['in TOML', `+++\nname = "bread"\ndescription = "${description}"\n+++\n`],
  ['in TOML without quotes', `+++\nname = bread\ndescription = ${description}\n+++\n`],
  ['in JSON', `---\n{"name": "bread", "description": "${description}"}\n---\n`],
  ['without blanks after the colons', `---\nname:bread\ndescription:${description}\n---\n`],
  ['with a description of 300,000 characters', `---\n${members} ${'a'.repeat(300_000)}`],
])('front matter is read %s', (_what, content) => {
  const item = read(content.slice(0, 65_536))

  expect(item).toMatchObject({ record: { name: 'bread' }, dropped: [] })
  const said = 'record' in item ? String(item.record['description']) : ''
  expect([said.slice(0, description.length), said.includes('#')]).toEqual([description, false])
})

describe('without front matter', () => {
  const inFolder = (content: string) => read(content, '/skills/acme/kit/skills/Bread Timer/SKILL.md')

  test.each<[content: string, said: Record<string, unknown>]>([
    [
      '# Bread\n\n[![ci](a)](b)\n\nStarts a **timer** for [dough](x).\nTwo lines.\n\n## Use\n',
      { name: 'Bread', description: 'Starts a timer for dough. Two lines.' },
    ],
    ['# Bread [![ci](a)](b)\n\n[ci]: https://a.example/b.svg\n\nStarts.\n', { name: 'Bread', description: 'Starts.' }],
    ['# Bread\n\n- one,\n  and more of it\n\nStarts.\n\n## Use\n', { name: 'Bread', description: 'Starts.' }],
    ['Starts.\n\n## Use\n', { description: 'Starts.' }],
    ['Bread\n=====\n\n> Quoted.\n\nStarts.\n', { name: 'Bread', description: 'Starts.' }],
    ['Starts.\n', { description: 'Starts.' }],
    ['# Bread\n\n- one\n- two\n', { name: 'Bread' }],
    ['---\n\n# Bread\n\nStarts.\n\n---\n\nNote: a\n\n---\n', { name: 'Bread', description: 'Starts.' }],
    ['# How to\n\nWrite so:\n\n```\n---\nname: example\n---\n```\n', { name: 'How to', description: 'Write so:' }],
    ['---\n# only a comment\n---\n# Bread\n\nStarts.\n', { name: 'Bread', description: 'Starts.' }],
    ['---\n- no\n- names\n---\n# Bread\n\nStarts.\n', { name: 'Bread', description: 'Starts.' }],
    ['---\nversion: 1\n---\n# Bread\n\nStarts.\n', { name: 'Bread', description: 'Starts.', version: '1' }],
  ])('%j is a skill by its text and its folder', (content, said) => {
    const item = inFolder(content)

    expect(item).toMatchObject({ record: { skill: 'Bread Timer', path: 'skills/Bread Timer', ...said } })
    expect('record' in item && ['name', 'description'].filter((field) => field in item.record)).toEqual(
      Object.keys(said).filter((field) => field !== 'version'),
    )
  })

  test.each([
    ['🍞', 'Bread Timer'],
    ['"\u200b"', 'Bread Timer'],
    ['null', 'Bread Timer'],
    ['[a, b]', 'Bread Timer'],
    ['{{ name }}', 'Bread Timer'],
    ['[bread]', 'bread'],
    ['yes', 'yes'],
    ['2026-01-02', '2026-01-02'],
    ['bread\u200b-timer', 'bread\u200b-timer'],
  ])('the name %s in it gives the skill %s', (name, skill) => {
    expect(inFolder(`---\nname: ${name}\ndescription: a\n---\n`)).toMatchObject({ record: { skill } })
  })

  test('a title before the name does not take its place', () => {
    const content = '---\ntitle: Bread Recipes\nname: bread\ndescription: a\n---\n'

    expect(inFolder(content)).toMatchObject({ record: { skill: 'bread', name: 'bread' } })
  })
})

test('what is left of a template is no value', () => {
  const content = '---\nname: bread\ndescription: [TODO: what it does: when]\n---\n# {{title}}\n\nStarts.\n'

  expect(read(content)).toMatchObject({
    record: { name: 'bread', description: 'Starts.' },
    dropped: ['description: is still to be filled in: "[TODO: what it does: when]"'],
  })
  for (const words of ['TO-DO: say when', 'FIX ME', '[TBD]']) {
    expect(read(`---\nname: bread\ndescription: "${words}"\n---\n`)).toMatchObject({ dropped: [expect.any(String)] })
  }
  for (const words of ['Todo lists <for teams>.', 'TO-DO lists for teams.']) {
    expect(read(`---\nname: todo\ndescription: ${words}\n---\n`)).toMatchObject({
      record: { name: 'todo', description: words },
    })
  }
})

test('an author does not say how many stars a skill has, or which names were its own', () => {
  const item = read(`---\n${members}\nstars: 9\nmetadata:\n  former_ids: [acme/other]\n---\n`)

  expect(item).toMatchObject({
    dropped: ['stars: is not read from a SKILL.md', 'former_ids: is not read from a SKILL.md'],
  })
  expect('record' in item && Object.keys(item.record)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/stars|former/)]),
  )
})

describe('bytes', () => {
  const readBytes = (head: Buffer) => readSkillMd('/skills/acme/pdf/SKILL.md', '/skills', { head, digest: 'sha256:d' })

  test('UTF-16 with its mark is read', () => {
    expect(readBytes(Buffer.from(`\ufeff---\nname: Brotzähler\n---\n`, 'utf16le'))).toMatchObject({
      record: { name: 'Brotzähler' },
    })
  })

  test('of another encoding only what is not ASCII is left out', () => {
    const content = '---\nname: bread\ndescription: Zähler\n---\n# Zähler\n\nStarts.\n'
    expect(readBytes(Buffer.from(content, 'latin1'))).toMatchObject({
      record: { name: 'bread', description: 'Starts.' },
      dropped: ['description: is not UTF-8'],
    })
    expect(readBytes(Buffer.from('# Zähler\n\nZählt.\n', 'latin1'))).toMatchObject({
      reason: expect.stringMatching(/^is not UTF-8\. Convert it/),
    })
    const program = Buffer.concat([Buffer.from([127, 69, 76, 70, 0, 0xff]), Buffer.from('\n\nA paragraph in it.\n')])
    expect(readBytes(program)).toMatchObject({ reason: expect.stringMatching(/^is not UTF-8/) })
    expect(readBytes(Buffer.from(Array.from({ length: 512 }, (_, byte) => byte % 256)))).toHaveProperty('reason')
    // The end of the beginning may be within a character.
    expect(readBytes(Buffer.from('---\nname: bread\n---\nä').subarray(0, -1))).toMatchObject({ dropped: [] })
  })
})
