import { describe, expect, test } from '@jest/globals'
import { mapRecord } from '../../services/indexer/import/map-record.js'
import { readSkillMd } from '../../services/indexer/import/read-skill-md.js'

const read = (content: string) =>
  readSkillMd('/skills/acme/pdf/SKILL.md', '/skills', { head: Buffer.from(content), digest: 'sha256:d' })

test.each([
  'name: a\nname: b\n',
  '"name": a\nname: b\ndescription: one: two: three\n',
  'metadata:\n  name: a\n  name: b\n',
  'hidden: true\nhidden: false\n',
])('a repeated name or state is refused, as in JSON: %j', (yaml) => {
  expect(read(`---\n${yaml}---\n`)).toMatchObject({ reason: expect.stringMatching(/^has "(?:name|hidden)" twice/) })
})

test('another member that is repeated costs its second value, and an equal one nothing', () => {
  const yaml = 'name: a\nname: a\ndescription: one\ndescription: two\n'

  expect(read(`---\n${yaml}---\n`)).toMatchObject({
    record: { name: 'a', description: 'one' },
    dropped: ['description: is there twice, and the first is used'],
  })
})

test.each([
  '---json\n{\n  "name": "timer",\n  "description": "Times: dough",\n  "private": true\n}\n---\nText.\n',
  '---json\n{"name": "timer", "description": "Times: dough", "private": true}\n---\n',
  '--- toml\nname = "timer"\ndescription = "Times: dough"\nprivate = true\n---\nText.\n',
  '<!-- a note -->\n---TOML\r\nname = timer\r\ndescription = Times: dough\r\nprivate = true\r\n---\r\n',
])('the language of front matter may be named: %j', (content) => {
  const { record, dropped } = Object(read(content))

  expect(record).toMatchObject({ name: 'timer', description: 'Times: dough' })
  expect([String(record.private), dropped]).toEqual(['true', []])
})

test.each(['name:\ndescription: ""', 'name: "  "\ndescription: >', 'name: \u200b\ndescription: |\nlicense: MIT'])(
  'an empty name or description is none, and the text of the file has one: %j',
  (yaml) => {
    const record = { name: 'Bread timer', description: 'Times the dough.' }

    expect(read(`---\n${yaml}\n---\n# Bread timer\n\nTimes the dough.\n`)).toMatchObject({ record })
  },
)

test('what a comment leaves out of a text without quotes is named', () => {
  const yaml = 'name: timer # mine\ndescription: Posts to #bread when done\nlicense: MIT # or other\n'

  expect(read(`---\n${yaml}---\n`)).toMatchObject({
    record: { name: 'timer', description: 'Posts to', license: 'MIT' },
    dropped: [expect.stringMatching(/^name: all after " #"/), expect.stringMatching(/^description: all after " #"/)],
  })
  expect(read('---\nname: c#\ndescription: "Posts to #bread" # quoted\n---\n')).toMatchObject({ dropped: [] })
})

describe('a member that is indented', () => {
  test.each<[yaml: string, record: Record<string, unknown>]>([
    ['name: a\n description: b: c', { name: 'a', description: 'b: c' }],
    [' description: b\n name: a', { name: 'a', description: 'b' }],
    ['  name: a\n  description: b\n license: MIT', { name: 'a', description: 'b', license: 'MIT' }],
    ['description: b\n  name: a\n  c', { name: 'a c', description: 'b' }],
    ['name: a\n  private: true\ndescription: b', { name: 'a', private: 'true' }],
    ['name: a\ndescription: |\n  b\n private: true', { description: 'b\n', private: 'true' }],
  ])('is one below a value on one line: %j', (yaml, record) => {
    expect(read(`---\n${yaml}\n---\n`)).toMatchObject({ record, dropped: [] })
  })

  test.each<[yaml: string, record: Record<string, unknown>]>([
    ['name: a\ndescription: b\n hidden: things appear', { description: 'b hidden: things appear' }],
    ['name: a\ndescription: b\n c\n name: d', { name: 'a', description: 'b c name: d' }],
    ['name: a\nlicense: MIT\n  name: The licence', { name: 'a', license: 'MIT name: The licence' }],
    ['name: a\nauthor: Jane\n  url: https://jane.example', { author: 'Jane url: https://jane.example' }],
    ['name: a\ndescription: |\n  b\n  private: true', { description: 'b\nprivate: true\n' }],
    ['name: a\nmetadata:\n  x:\n    y: z\n  version: 1.0', { metadata: { x: { y: 'z' } }, version: '1.0' }],
  ])('is a part of another value elsewhere: %j', (yaml, record) => {
    expect(read(`---\n${yaml}\n---\n`)).toMatchObject({ record })
  })
})

describe('YAML that is not valid', () => {
  test.each<[yaml: string, record: Record<string, unknown>, dropped: string[]]>([
    [
      'description: Use when: (1) dough rests, (2) asked: how long?',
      { description: 'Use when: (1) dough rests, (2) asked: how long?' },
      [],
    ],
    [
      'description: Use when: dough\n  rests: long\nversion: 1.10',
      { description: 'Use when: dough rests: long', version: '1.10' },
      [],
    ],
    ['description:\n  Use when: dough\n  rests: long', { description: 'Use when: dough rests: long' }, []],
    ['description: "Starts a timer.\nversion: 1', { description: 'Starts a timer.', version: '1' }, []],
    ['description:\u00a0Starts:it\nversion：1', { description: 'Starts:it', version: '1' }, []],
    ['description: One: two: three\nmetadata:\n\ttags:\n\t\t- a', { description: 'One: two: three', tags: ['a'] }, []],
    ['description: *Bold*', { description: '*Bold*' }, []],
    ['description: Timer\n<<: *none', { description: 'Timer' }, ['<<: is not valid YAML']],
    ['description: "The "best" timer"', { description: 'The "best" timer' }, []],
    ["description: 'It's a timer'", { description: "It's a timer" }, []],
    ['description: @timer', { description: '@timer' }, []],
    ['description: `timer`: counts', { description: '`timer`: counts' }, []],
    ['description: > Times: dough', { description: 'Times: dough' }, []],
    ['description: |-\nTimes the dough.\nversion: 1', { description: 'Times the dough.', version: '1' }, []],
    ['description: >90 % of loaves: timed', { description: '>90 % of loaves: timed' }, []],
    ['tags:\n\t- a\n\t- b\ndescription: x', { tags: ['a', 'b'], description: 'x' }, []],
    ['tags:\n  - one: two: three\n  - four', { tags: ['one: two: three', 'four'] }, []],
    ['metadata: {"a": [}\ndescription: Timer', { description: 'Timer' }, ['metadata: is not valid YAML']],
  ])('%j costs no more than its value', (yaml, record, dropped) => {
    expect(read(`---\nname: bread\n${yaml}\n---\n`)).toMatchObject({
      record: { name: 'bread', ...record, owner: 'acme', repo: 'pdf' },
      dropped,
    })
  })
})

describe('what withdraws a skill is found', () => {
  test.each([
    ['in metadata that is not valid as a whole', 'metadata:\n  internal: true\n  note: one: two\n  version: "1.0"'],
    ['in such an object within', 'metadata:\n  version: "1.0"\n  x:\n    internal: true\n    note: one: two'],
    ['in metadata below an open quote', 'note: "open\nmetadata:\n  internal: true\n  version: "1.0" or so'],
    ['in metadata that is a text of YAML', 'metadata: |\n  internal: true\n  version: 1.0'],
    ['in metadata that is a text of JSON', `metadata: '{"internal": true, "version": "1.0"}'`],
    ['in what is merged', 'base: &base\n  internal: true\n  version: 1.0\n<<: *base'],
    ['in what is merged into metadata', 'a: &a {internal: true}\nmetadata:\n  <<: [*a, {version: 1.0}]'],
    ['in what is merged into that', 'a: &a {internal: true}\nb: &b {<<: *a, version: 1.0}\n<<: *b'],
    ['in a map that is merged', '<<: {internal: true, version: 1.0}'],
  ])('%s', (_where, yaml) => {
    const item = read(`---\nname: bread\ndescription: Times.\n${yaml}\n---\n`)

    expect(mapRecord('skills', Object(item).record)).toMatchObject({
      record: { name: 'bread', description: 'Times.', version: expect.stringMatching(/^"?1\.0/), state: 'hidden' },
    })
  })
})

test('of a name that is merged as well, the own value counts', () => {
  const yaml = 'base: &base {name: a, license: ISC, private: true}\n<<: *base\nname: b\nprivate: false\n'

  expect(read(`---\n${yaml}---\n`)).toMatchObject({
    record: { name: 'b', license: 'ISC', private: 'false' },
    dropped: [],
  })
})

test.each([
  ['many aliases', `a: &a {x: 1}\n<<: [${'*a, '.repeat(9_000)}*a]`],
  ['many merges', `a: &a {x: 1}\n${'<<: *a\n'.repeat(6_000)}`],
  ['maps that merge each other', 'a: &a\n  <<: *a\n<<: *a'],
])('%s take no long time', (_what, yaml) => {
  const start = performance.now()

  expect(read(`---\nname: bread\ndescription: Times.\n${yaml}\n---\n`)).toBeDefined()
  expect(performance.now() - start).toBeLessThan(10_000)
})

test('a skill stays where metadata that cannot be read has such a word in a value alone', () => {
  const yaml = 'name: bread\ndescription: Times.\nmetadata: {emoji: internal, requires: [}\n'

  expect(read(`---\n${yaml}---\n`)).toMatchObject({
    record: { name: 'bread' },
    dropped: ['metadata: is not valid YAML'],
  })
})

test.each(['metadata: {internal: true}\n    - more', '_meta: {"x": [}, "private": true', 'status: [draft'])(
  'a skill is refused where what may withdraw it cannot be read: %j',
  (yaml) => {
    expect(read(`---\nname: bread\ndescription: Times.\n${yaml}\n---\n`)).toMatchObject({
      reason: expect.stringContaining('may say that it is not published'),
    })
  },
)

test('topics that YAML reads as a comment are named', () => {
  expect(read('---\nname: bread\ndescription: Times.\ntags: #dough #oven\nx: # none\n---\n')).toMatchObject({
    dropped: ['tags: all after " #", which begins a comment in YAML unless the text is in quotes'],
  })
})

test('metadata may be written with a capital letter', () => {
  expect(read('---\nname: bread\ndescription: Times.\nMetadata:\n  version: 1.10\n---\n')).toMatchObject({
    record: { version: '1.10' },
  })
})

test('a text in each language may be on one line, and is none of a template', () => {
  const yaml = 'name: bread\ndescription: {en: Times dough, de: Misst Teig}\n'

  expect(read(`---\n${yaml}---\n`)).toMatchObject({ record: { description: { en: 'Times dough' } }, dropped: [] })
})

test('a word that YAML reads as a type is part of a text', () => {
  const yaml = 'name: bread\ndescription: !important Times dough.\nversion: !!str 2\n'

  expect(read(`---\n${yaml}---\n`)).toMatchObject({
    record: { description: '!important Times dough.', version: '2' },
    dropped: [],
  })
})

test('spaces after the hyphens of a line take no long time', () => {
  const start = performance.now()

  expect(read(`Note\n---${' '.repeat(200_000)}x\nname: bread\n`)).toBeDefined()
  expect(performance.now() - start).toBeLessThan(5_000)
})

test('a comment may follow the first line of hyphens', () => {
  expect(read('--- # skill\nname: bread\ndescription: Times.\n---\nText.\n')).toMatchObject({
    record: { name: 'bread', description: 'Times.' },
  })
})

test('empty front matter hides none below it', () => {
  expect(read('---\n---\nname: bread\ndescription: Times.\n---\nText.\n')).toMatchObject({
    record: { name: 'bread', description: 'Times.' },
  })
})
