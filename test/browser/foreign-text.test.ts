import { describe, expect, test } from '@jest/globals'
import { digestOf } from '../../shared/text/skill-text.js'
import { whenBrowser } from '../support/browser.js'
import { aSkill } from '../support/factories.js'
import { keepContents } from '../support/keep-contents.js'
import { sharedTestApp } from '../support/test-app.js'

const long = (letter: string, length = 100) => letter.repeat(length)

const skills = Array.from({ length: 22 }, (_, place) =>
  aSkill({
    owner: long('W', 90),
    repo: `${long('r', 95)}${place}`,
    name: `${long('N')}${place}`,
    description: `${long('d', 300)} pdf`,
    topics: [long('t'), 'pdf'],
    license: long('L'),
    language: long('J'),
    version: long('1'),
    homepage: `https://example.com/${long('h', 300)}`,
    url: `https://github.example/${long('u', 90)}/${long('r', 95)}`,
    stars: 1_000_000 + place,
    updatedAt: '2026-01-01T00:00:00.000Z',
  }),
)
const arabic = aSkill({ owner: 'acme', repo: 'arabic', name: 'قارئ ملفات PDF', description: 'يقرأ الجداول من PDF.' })

const pages = {
  'the first view': '/',
  results: '/?q=pdf',
  'a list': `/?language=${long('J')}&topic=${long('t')}`,
  'a long search': `/?q=${long('q', 200)}`,
  'a skill': `/skills/${long('W', 90)}/${long('r', 95)}0`,
  'an organization': `/organizations/${long('W', 90)}`,
  'a topic': `/topics/${long('t')}`,
  'a page after the last': '/topics/pdf?page=99',
  statistics: '/statistics',
  'an unknown skill': `/skills/${long('x')}/${long('y')}`,
  'a bad value': `/?page=x&q=${long('q', 150)}`,
}

const wide = 'w'.repeat(300)
const text = `# Run it
<script>document.title = 'theirs'</script><img src="/nowhere" onerror="document.title = 'theirs'">

[run](javascript:document.title='theirs') ![picture](https://pictures.example/${wide}.png)

\`\`\`sh
echo one
echo ${wide}
\`\`\`

| ${Array.from({ length: 20 }, (_, place) => `column ${place}`).join(' | ')} |
|${'---|'.repeat(20)}
| ${wide} |

${'> '.repeat(10)}${wide}

${Array.from({ length: 10 }, (_, depth) => `${'  '.repeat(depth)}- ${wide}`).join('\n')}
`
const digest = digestOf(text)

whenBrowser((open) => {
  const api = sharedTestApp({ skills: [...skills, arabic] })

  test.each(Object.entries(pages))(
    'words of 100 letters fit on a phone: %s',
    async (_, path) => {
      for (const javaScriptEnabled of [true, false]) {
        const { page } = await open({ viewport: { width: 390, height: 844 }, javaScriptEnabled })
        await page.goto(`${api().url}${path}`)
        const right = await page.evaluate(rightEdge)
        expect(right).toBeGreaterThan(0)
        expect(right).toBeLessThanOrEqual(390)
        await page.close()
      }
    },
    240_000,
  )

  test('a text has its own direction', async () => {
    const { page } = await open()
    await page.goto(`${api().url}/skills/acme/arabic`)
    const direction = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).direction`)

    expect([await direction('h1'), await direction('.long'), await direction('main')]).toEqual(['rtl', 'rtl', 'ltr'])
    await page.goto(`${api().url}/?q=acme`)
    expect(await direction('.skill-card h2')).toBe('rtl')
  }, 120_000)

  test.each([true, false])(
    'filters are folded on a phone, and open by their summary; scripts: %s',
    async (scripts) => {
      const { page } = await open({ viewport: { width: 390, height: 844 }, javaScriptEnabled: scripts })
      await page.goto(`${api().url}/?q=pdf`)
      const groups = page.locator('.filter-groups')

      expect(await groups.isVisible()).toBe(false)
      await page.locator('summary', { hasText: 'Filters' }).click()
      expect(await groups.isVisible()).toBe(true)
      // There is room for them on a wide screen.
      await page.locator('summary', { hasText: 'Filters' }).click()
      await page.setViewportSize({ width: 1_280, height: 844 })
      expect(await groups.isVisible()).toBe(true)
      expect(await page.locator('summary', { hasText: 'Filters' }).isVisible()).toBe(false)
    },
    120_000,
  )

  describe('the text of a skill', () => {
    const api = sharedTestApp({ skills: [aSkill({ owner: 'acme', repo: 'pdf', digest })] }, ({ stores }) =>
      keepContents(stores.catalog, [{ id: 'acme/pdf', digest, text, files: { files: [], total: 0 } }]),
    )

    test('a hostile text runs nothing and loads nothing', async () => {
      const { page, faults } = await open()
      const asked: string[] = []
      page.on('request', (request) => asked.push(new URL(request.url()).pathname))
      await page.goto(`${api().url}/skills/acme/pdf`, { waitUntil: 'networkidle' })

      expect(await page.title()).toContain('acme/pdf')
      expect(await page.locator('.skill-text :is(script, img, [onerror])').count()).toBe(0)
      expect(await page.locator('.skill-text a').allTextContents()).toEqual(['picture'])
      expect(asked.filter((path) => path !== '/skills/acme/pdf' && !path.startsWith('/assets/'))).toEqual([])
      expect(faults).toEqual([])
    }, 120_000)

    test('its code can be copied', async () => {
      const { page } = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
      await page.goto(`${api().url}/skills/acme/pdf`, { waitUntil: 'networkidle' })

      await page.locator('.skill-text').getByRole('button', { name: 'Copy' }).click()
      await page.getByText('Copied').waitFor()

      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`echo one\necho ${wide}\n`)
    }, 120_000)

    test('that it was copied is said for two seconds after the last time', async () => {
      const { page } = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
      await page.clock.install()
      await page.goto(`${api().url}/skills/acme/pdf`, { waitUntil: 'networkidle' })
      const copy = async () => {
        await page.evaluate("navigator.clipboard.writeText('')")
        await page.locator('.skill-text').getByRole('button', { name: 'Copy' }).click()
        await page.waitForFunction("navigator.clipboard.readText().then((text) => text !== '')")
      }
      await copy()
      await page.getByText('Copied').waitFor()
      await page.clock.pauseAt(Date.now() + 60_000)
      await copy()
      await page.clock.runFor(1_500)
      await copy()
      await page.clock.runFor(1_000)

      expect(await page.getByText('Copied').isVisible()).toBe(true)
      await page.clock.runFor(1_000)
      expect(await page.getByText('Copied').isVisible()).toBe(false)
    }, 120_000)

    test('it fits on a phone, and without scripts its code has no button', async () => {
      for (const javaScriptEnabled of [true, false]) {
        const { page } = await open({ viewport: { width: 390, height: 844 }, javaScriptEnabled })
        await page.goto(`${api().url}/skills/acme/pdf`)
        const body = await page.locator('body').boundingBox()
        const code = await page.locator('.skill-text pre').boundingBox()

        expect(body?.width).toBe(390)
        expect((code?.x ?? 0) + (code?.width ?? 999)).toBeLessThanOrEqual(390)
        expect(await page.locator('.skill-text button').isVisible()).toBe(javaScriptEnabled)
        if (javaScriptEnabled) {
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
        }
      }
    }, 120_000)
  })
})

/** The right edge of what is shown, in one evaluation: asking the browser for each element takes a minute. */
const rightEdge = `Math.max(...[...document.querySelectorAll('main h1, main h2, main p, main li, main dd, main a')].map((element) => {
  const { right, width } = element.getBoundingClientRect()
  return width < 2 ? 0 : Math.floor(right)
}))`
