import { expect, test } from '@jest/globals'
import { digestOf } from '../../shared/text/skill-text.js'
import { whenBrowser } from '../support/browser.js'
import { aSkill } from '../support/factories.js'
import { sharedTestApp } from '../support/test-app.js'

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
  const api = sharedTestApp({ skills: [aSkill({ owner: 'acme', repo: 'pdf', digest })] }, ({ stores }) =>
    stores.catalog.keepContents([{ id: 'acme/pdf', digest, text, files: { files: [], total: 0 } }]),
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
