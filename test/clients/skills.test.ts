import { expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { whenClient } from '../support/real-clients.js'
import { sharedTestApp } from '../support/test-app.js'

whenClient('skills', (run) => {
  const shared = sharedTestApp({
    skills: [
      aSkill({ owner: 'Acme', repo: 'Kit', skill: 'pdf-tables', name: 'pdf-tables', description: 'Reads PDF tables' }),
      aSkill({ owner: 'Acme', repo: 'Kit', skill: 'mail', name: 'mail', description: 'Sends letters' }),
      aSkill({ owner: 'beta', repo: 'own', name: 'pdf-maker', description: 'Makes PDF files' }),
      aSkill({ owner: 'beta', repo: 'plain', name: 'Plain PDF text', description: 'Writes PDF text' }),
    ],
  })
  const find = (...args: string[]) => run(['find', ...args], { SKILLS_API_URL: shared().url })

  test('npx skills find lists what npx skills add takes', async () => {
    const { output } = await find('pdf')
    expect(output).toContain('npx skills add <owner/repo@skill>')
    for (const line of ['Acme/Kit@pdf-tables', 'beta/own@pdf-maker', 'beta/plain@plain']) {
      expect(output).toContain(line)
    }
    expect(output).not.toMatch(/Acme\/Kit@mail|installs/)
  })

  test('--owner shows the skills of one owner, and an unknown text none', async () => {
    const { output } = await find('pdf', '--owner', 'beta')
    expect(output).toContain('beta/own@pdf-maker')
    expect(output).not.toContain('Acme')
    expect((await find('zymurgy')).output).toContain('No skills found')
  })
})
