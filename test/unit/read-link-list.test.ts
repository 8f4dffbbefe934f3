import { describe, expect, test } from '@jest/globals'
import { isLinkList, readLinkList } from '../../services/indexer/import/read-link-list.js'
import { inPieces, mapAll, readAll } from '../support/source-items.js'

const read = (page: string) => mapAll(readLinkList(inPieces(page)))

const github = 'https://github.com'

describe('an item of a list', () => {
  test.each<[item: string, id: string, fields: object]>([
    [
      `- [PDF tools](${github}/acme/kit) - Reads tables.`,
      'acme/kit',
      { name: 'PDF tools', description: 'Reads tables.' },
    ],
    [`* **[pdf](${github}/acme/kit/tree/main/skills/pdf)** – A.`, 'acme/kit@pdf', { description: 'A.' }],
    [`  1. 🚀 [acme/pdf](${github}/acme/kit/blob/main/pdf/SKILL.md): A.`, 'acme/kit@pdf', { name: 'pdf', path: 'pdf' }],
    [`+ [pdf](${github}/acme/kit/blob/main/skills/pdf/ "A title")`, 'acme/kit@pdf', { path: 'skills/pdf' }],
    [`- [acme/kit](${github}/acme/kit/tree/main/skills/pdf) A.`, 'acme/kit@pdf', { name: 'pdf' }],
    [`- [acme/kit](${github}/acme/kit) A.`, 'acme/kit', { name: 'kit' }],
    [`- [kit](https://gitlab.com/acme/kit) by [Jane](${github}/jane) - A.`, 'acme/kit', { description: 'A.' }],
    [`- [kit](${github}/acme/kit) (by @jane and [Hans](${github}/hans)): A.`, 'acme/kit', { description: 'A.' }],
    [`- **[kit](${github}/acme/kit)** by [Jane](${github}/jane)`, 'acme/kit', { description: null }],
    [
      `- [kit](${github}/acme/kit) by hand or [by mail](${github}/acme/mail) - A.`,
      'acme/kit',
      { description: 'by hand or by mail - A.' },
    ],
    [`- [kit](${github}/acme/kit) **Description:** A.`, 'acme/kit', { description: 'A.' }],
    [`- [kit](${github}/acme/kit) - *Description*: A.`, 'acme/kit', { description: 'A.' }],
    [`- **[kit](${github}/acme/kit)** *(Python)* — A.`, 'acme/kit', { description: '*(Python)* — A.' }],
    [`- [kit](${github}/acme/kit) ![stars](a.svg) - **New**: A.`, 'acme/kit', { description: '**New**: A.' }],
    [`- [x] [kit](${github}/acme/kit): A.`, 'acme/kit', { name: 'kit', description: 'A.' }],
    [`- [PDF kit][kit] - A.\n\n[KIT]: ${github}/acme/kit`, 'acme/kit', { name: 'PDF kit', description: 'A.' }],
    [`- 🚀 **[kit][]**: A.\n\n[kit]: <${github}/acme/kit> "A title"`, 'acme/kit', { name: 'kit', description: 'A.' }],
    [
      `[a]: ${github}/acme/kit/tree/main/pdf\n- [acme/kit][a]\n  A.`,
      'acme/kit@pdf',
      { name: 'pdf', description: 'A.' },
    ],
    [`- [kit] by [Jane][] - A [b][c].\n\n[kit]: ${github}/acme/kit`, 'acme/kit', { description: 'A b.' }],
    [`## [kit]\n\nA.\n\n[kit]: ${github}/acme/kit`, 'acme/kit', { name: 'kit', description: 'A.' }],
    [`## [kit]\n\n[kit]: ${github}/acme/kit`, 'acme/kit', { name: 'kit', description: null }],
    [`- ${github}/acme/kit: A.`, 'acme/kit', { name: 'kit', description: 'A.' }],
    [`- **<${github}/acme/kit>** - A.`, 'acme/kit', { name: 'kit', description: 'A.' }],
  ])('%s', async (item, id, fields) => {
    expect(await read(`# Skills\n\n${item}\n`)).toMatchObject([{ id, ...fields }])
  })

  test.each([
    `- See [kit](${github}/acme/kit)`,
    `- [![kit](a.png)](${github}/acme/kit)`,
    `- ![kit](${github}/acme/kit)`,
    '- [Contents](#contents)',
    `- [Jane](${github}/jane)`,
    `- [Issues](${github}/acme/kit/issues)`,
    `- [Guide](${github}/acme/kit/blob/main/docs/guide.md)`,
    `[kit](${github}/acme/kit)`,
    `- ~~[kit](${github}/acme/kit)~~ - A.`,
    `- **~~[kit](${github}/acme/kit) - A.~~**`,
    `- [~~kit~~](${github}/acme/kit) - A.`,
    `- ~~[kit][]~~\n\n[kit]: ${github}/acme/kit`,
    `- <del>[kit](${github}/acme/kit)</del>`,
    `| Skill | About |\n|---|---|\n| ~~[kit](${github}/acme/kit)~~ | A |`,
    `- [kit][other]\n- [ ] kit\n- ![kit][kit]\n- See [kit]\n\n[kit]: ${github}/acme/kit`,
    `- [Guide]\n\n[guide]: ${github}/acme/kit/blob/main/docs/guide.md`,
    `\`\`\`\n- [kit](${github}/acme/kit)\n\`\`\``,
  ])('%s is none', async (text) => {
    expect(await read(`${text}\n`)).toEqual([])
  })
})

test.each<[page: string, read: object[]]>([
  [
    `## [acme/kit](${github}/acme/kit)\n\nReads [tables](#t).\n\nMore.\n### [Mail](${github}/acme/mail) - Sends.\n`,
    [
      { id: 'acme/kit', name: 'kit', description: 'Reads tables.' },
      { id: 'acme/mail', name: 'Mail', description: 'Sends.' },
    ],
  ],
  [
    `- [kit](${github}/acme/kit)  \n  Reads.\n- [mail](${github}/acme/mail)\n\nText.\n`,
    [
      { id: 'acme/kit', description: 'Reads.' },
      { id: 'acme/mail', description: null },
    ],
  ],
  [
    `### [kit](${github}/acme/kit)\n![a](b.png)\n- [mail](${github}/acme/mail)\n\`\`\`\nx\n\`\`\`\n## [last](${github}/acme/last)`,
    [{ id: 'acme/kit', description: null }, { id: 'acme/mail', description: null }, { id: 'acme/last' }],
  ],
  [`- <a href="${github}/acme/kit">Kit</a> - Reads.\n`, [{ id: 'acme/kit', name: 'Kit', description: 'Reads.' }]],
  [`# [kit](${github}/acme/kit)\n\nReads.\n## [1.0](${github}/acme/kit/compare/v1)\n`, []],
])('a heading may be an item, and the line below one its description: %j', async (page, found) => {
  expect(await read(page)).toMatchObject(found)
  expect(await read(page)).toHaveLength(found.length)
})

test('an item has the number of its own line', async () => {
  const page = `# A\n\n## [kit](${github}/acme/kit)\n\nReads.\n`

  expect(await readAll(readLinkList(inPieces(page)))).toEqual([expect.stringMatching(/^line 3: .*"Reads\."/)])
})

test('tables are read below their headers, and rows without one as items', async () => {
  const page = [
    ...['| Skill | About | Stars |', '|---|---|---|', `| **[Kit](${github}/acme/kit)** | A | 1,234 |`, ''],
    ...[`| [pdf](${github}/acme/pdf) | B |`, '', '| option | effect |', '|---|---|', '| a | b |'],
  ]

  expect(await read(page.join('\n'))).toMatchObject([
    { id: 'acme/kit', name: 'Kit', description: 'A', stars: 1_234 },
    { id: 'acme/pdf', name: 'pdf', description: 'B' },
  ])
})

test.each<[is: boolean, name: string, page: string]>([
  [true, 'README.md', `# A\n\n- [a](${github}/acme/a)\n- [b](${github}/acme/b)\n`],
  [false, 'README.md', `# A\n\n- [a](${github}/acme/a)\n- [b](${github}/acme/a/tree/main/b)\n`],
  [false, 'SKILL.md', `# A\n\n- [a](${github}/acme/a)\n- [b](${github}/acme/b)\n`],
  [false, 'a.md', `---\nname: a\n---\n- [a](${github}/acme/a)\n- [b](${github}/acme/b)\n`],
])('whether a page is a list of repositories: %p, %s', (is, name, page) => {
  expect(isLinkList(name, page)).toBe(is)
})
