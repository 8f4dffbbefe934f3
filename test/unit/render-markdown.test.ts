import { describe, expect, test } from '@jest/globals'
import { estimateTokens, maxRendered, renderMarkdown } from '../../services/query/pages/render-markdown.js'

const render = (text: string, resolve: (path: string) => string | null = () => null) =>
  renderMarkdown(text, resolve).html

/** Every form of a tag that a rendered text may have. */
const safe = new RegExp(
  [
    /<\/?(?:p|blockquote|ul|ol|li|pre|code|em|strong|s|table|thead|tbody|tr|th|td|div)>/,
    /<(?:br|hr) \/>/,
    /<h[3-6] id="text-[^"<>]*">|<\/h[3-6]>/,
    /<ol start="\d+">/,
    /<a href="(?:https?:\/\/|#text-)[^"<>]*" rel="nofollow ugc noopener">|<\/a>/,
    /<div role="region" aria-label="Table" tabindex="0">/,
    /<button type="button">|<\/button>/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

/** What is left of HTML without its safe tags: text. */
const withoutTags = (html: string) => html.replaceAll(safe, '')

describe('a rendered text', () => {
  test('has headings below those of the page, without leaps, with ids of its own', () => {
    expect(render('---\nname: pdf\n---\n# Read *PDF* `x`\n### Deep\n## Read PDF x\n###### Last')).toBe(
      [
        '<h3 id="text-read-pdf-x">Read <em>PDF</em> <code>x</code></h3>',
        '<h4 id="text-deep">Deep</h4>',
        '<h4 id="text-read-pdf-x-1">Read PDF x</h4>',
        '<h5 id="text-last">Last</h5>',
        '',
      ].join('\n'),
    )
  })

  test('has tables, lists and code', () => {
    const html = render('| a |\n|---|\n| `b` |\n\n3. c\n   - d\n\n~~e~~\n\n```sh\nf <g>\n```')

    expect(html).toContain('<td><code>b</code></td>')
    expect(html).toContain('<ol start="3">')
    expect(html).toContain('<s>e</s>')
    expect(html).toContain('<pre><code>f &lt;g&gt;\n</code></pre><button type="button">Copy</button>')
  })

  test.each([
    ['---\nname: pdf\n---\nRead it', 'Read it'],
    ['\uFEFF---\r\nname: pdf\r\n---\r\nRead it', 'Read it'],
    ['\n\n---\nname: pdf\n...\nRead it', 'Read it'],
    ['---\n---\nRead it', 'Read it'],
    ['Read it\n\n---\nname: pdf\n---\n', 'name: pdf'],
    ['---\nname: never closed\n\nRead it', 'never closed'],
  ])('leaves out the front matter alone: %j', (text, kept) => {
    expect(render(text)).toContain(kept)
    expect(render(text).includes('name: pdf') && kept === 'Read it').toBe(false)
  })

  test.each([
    ['[a](https://x.example/b?c=d)', 'https://x.example/b?c=d'],
    ['<http://x.example>', 'http://x.example/'],
    ['[a][b]\n\n[b]: https://x.example', 'https://x.example/'],
    ['![a](https://x.example/b.png)', 'https://x.example/b.png'],
    ['[![a](https://i.example/b.svg)](https://x.example/)', 'https://x.example/'],
    ['[a](#b-c)', '#text-b-c'],
    ['[a](b.md)', 'https://files.example/b.md'],
    ['[a](../b%20c.md#d)', 'https://files.example/../b%20c.md#d'],
    ['![a](/b.png)', 'https://files.example//b.png'],
  ])('links to where %s leads', (text, href) => {
    const html = render(text, (path) => `https://files.example/${path}`)

    expect([...html.matchAll(/href="([^"]*)"/g)].map(([, found]) => found)).toEqual([href])
    expect(html).toMatch(/>(?:a|http:\/\/x\.example)<\/a>/)
    expect(withoutTags(html)).not.toContain('<')
  })

  test.each([
    ...['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'java&#x73;cript:alert(1)', 'javascript&colon;alert(1)'],
    ...[
      'java%0ascript:alert(1)',
      '<java\tscript:alert(1)>',
      '\u0001javascript:alert(1)',
      'vbscript:x',
      'file:///etc/passwd',
    ],
    ...['data:text/html,x', 'data:image/svg+xml;base64,x', 'mailto:a@b.example', 'tel:1', 'ftp://x.example'],
    ...[
      '//x.example',
      '\\\\\\\\x.example',
      '/\\\\x.example',
      'https:',
      'http://',
      'blob:https://x.example/a',
      '&#0;x:y',
      '',
    ],
    ...['javas\u200bcript:x', '<javascript:alert(1) "t">', 'x" onclick="alert(1)'],
  ])('is plain text in place of a link to %j', (address) => {
    for (const text of [`[word](${address})`, `![word](${address})`, `[word][a]\n\n[a]: ${address}`, `<${address}>`]) {
      const html = render(text)
      expect(html).not.toContain('<a')
      expect(withoutTags(html)).not.toContain('<')
    }
  })

  test.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<style>*{display:none}</style>',
    '<!-- <b> -->',
    '<form action="https://x.example"><input></form>',
    '<iframe src="https://x.example"></iframe>',
    '</div></main><h1>Ours</h1>',
    '&lt;script&gt;alert(1)&lt;/script&gt; &#60;b&#62;',
    '```"><script>\n</code></pre><script>alert(1)</script>\n```',
    '# <b onclick=x> " id="main',
    '| <b> |\n|---|\n| "><svg onload=x> |',
    '![" onerror="alert(1)](https://x.example/" onload="x)',
    '[a](https://x.example/"onclick="x)',
    '`<b>` **<b>** [<b>](https://x.example "<b>")',
    '<![CDATA[<b>]]> <?php <b> ?> <!DOCTYPE html>',
  ])('shows HTML of its author as text: %s', (text) => {
    const html = render(text)

    expect(withoutTags(html)).not.toContain('<')
    expect(html.length).toBeGreaterThan(0)
  })

  test('has no character that nobody sees, also none that is written as an entity', () => {
    const html = render(
      'a\u202eb\u200bc &#x202e;&#8203;&zwnj;&ZeroWidthSpace; `\u2066x` [d](https://x.example/\u200be)',
    )

    expect(html).not.toMatch(/[\u200b-\u200f\u202a-\u202e\u2066-\u2069]/)
    expect(html).toContain('abc')
  })

  test.each(
    Object.entries({
      'quotes in quotes': '>'.repeat(10_000),
      'lists in lists': '- '.repeat(10_000),
      'numbers in numbers': '1. '.repeat(10_000),
      'quotes and lists': `${'>- '.repeat(10_000)}a`,
      'quotes and lines': `${'>'.repeat(300)}a\n${'a\n'.repeat(200_000)}`,
      'open brackets': '['.repeat(262_144),
      'open links': '[a]('.repeat(65_536),
      emphasis: `${'**a '.repeat(32_768)}${' a**'.repeat(32_768)}`,
      backticks: Array.from({ length: 700 }, (_, length) => '`'.repeat(length)).join(' '),
      'a wide table': `${'|a'.repeat(16_000)}|\n${'|-'.repeat(16_000)}|\n${'|b'.repeat(16_000)}`,
      'a long table': `|a|b|\n|-|-|\n${'|c\n'.repeat(80_000)}`,
      'a table of empty cells': `${'|a'.repeat(100)}|\n${'|-'.repeat(100)}|\n${'b\n'.repeat(120_000)}`,
      'an open fence': `\`\`\`\n${'a\n'.repeat(131_072)}`,
      'an open front matter': `---\n${'a: b\n'.repeat(50_000)}`,
      'open tags': '<a '.repeat(87_000),
      references: Array.from({ length: 10_000 }, (_, place) => `[a${place}]: /b\n\n[a${place}]`).join('\n'),
      marks: `a${'\u0301'.repeat(262_000)}`,
      entities: '&amp;'.repeat(52_000),
      underlines: 'a\n=\n'.repeat(65_536),
      spaces: ' '.repeat(262_144),
    }),
  )(
    'ends for 256 KiB of %s',
    (_, text) => {
      const { html, isCut } = renderMarkdown(text, (path) => `https://files.example/${path}`)

      expect(withoutTags(html)).not.toContain('<')
      expect(html.length).toBeLessThan(1_000_000)
      expect(isCut).toBe(text.length > maxRendered)
    },
    20_000,
  )

  test('of a long text is its beginning, up to the end of a line', () => {
    const { html, isCut } = renderMarkdown(`${'word '.repeat(20)}\n\n`.repeat(1_000), () => null)

    expect(isCut).toBe(true)
    expect(html.endsWith(`${'word '.repeat(20).trim()}</p>\n`)).toBe(true)
  })
})

test.each([
  ['', 0],
  ['a', 1],
  ['word '.repeat(1_000), 1_300],
  ['日本'.repeat(100), 150],
])('the tokens of %.10j are estimated', (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens)
})
