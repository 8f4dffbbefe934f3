import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { installLine } from '../../shared/fields/repository-pages.js'
import type { StoredSkill } from '../../shared/records/skill.js'
import { digestOf } from '../../shared/text/skill-text.js'
import { inBothModes, type ServedMode, serveSample } from '../equality/two-modes.js'
import { aSkill } from '../support/factories.js'
import { gitRepository } from '../support/git-repository.js'
import { keepContents } from '../support/keep-contents.js'
import { type RunClient, whenClient } from '../support/real-clients.js'
import { runCatalog } from '../support/run-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { sharedTestApp } from '../support/test-app.js'

/** A skill with this text, of so many files. */
const withText = (overrides: Partial<StoredSkill>, text: string, total: number) => {
  const skill = aSkill({ ...overrides, digest: digestOf(text) })
  return { skill, content: { id: skill.id, digest: digestOf(text), text, files: { files: [], total } } }
}

const textOf = (name: string): string => `---\nname: ${name}\ndescription: Sends letters.\n---\n\n# Mail 日本\r\n`

const kept = [
  withText({ owner: 'Acme', repo: 'Post', skill: 'letters', name: 'letters', stars: 2 }, textOf('letters'), 1),
  withText({ owner: 'Acme', repo: 'Post', skill: 'parcels', name: 'parcels', stars: 1 }, textOf('parcels'), 1),
  withText({ owner: 'Acme', repo: 'Post', skill: 'stamps', name: 'stamps' }, textOf('stamps'), 3),
]

whenClient('skills', (run) => {
  const skills = [
    aSkill({ owner: 'Acme', repo: 'Kit', skill: 'pdf-tables', name: 'pdf-tables', description: 'Reads PDF tables' }),
    aSkill({ owner: 'Acme', repo: 'Kit', skill: 'mail', name: 'mail', description: 'Sends letters' }),
    aSkill({ owner: 'beta', repo: 'own', name: 'pdf-maker', description: 'Makes PDF files' }),
    aSkill({ owner: 'beta', repo: 'plain', name: 'Plain PDF text', description: 'Writes PDF text' }),
  ]
  const named = aSkill({
    ...{ owner: 'orchard', repo: 'press', skill: 'mail-labels-e', name: 'Mail Labels é' },
    ...{ path: 'skills/labels', commit: '0'.repeat(40), url: 'https://github.com/orchard/press' },
  })
  const shared = sharedTestApp({ skills: [...skills, named, ...kept.map(({ skill }) => skill)] }, ({ stores }) =>
    keepContents(
      stores.catalog,
      kept.map(({ content }) => content),
    ),
  )
  const find = (...args: string[]) => run(['find', ...args], { SKILLS_API_URL: shared().url })

  test('npx skills find lists what npx skills add takes', async () => {
    const { output } = await find('pdf')
    expect(output).toContain('npx skills add <owner/repo@skill>')
    for (const line of ['Acme/Kit@pdf-tables', 'beta/own@pdf-maker', 'beta/plain@plain']) {
      expect(output).toContain(line)
    }
    expect(output).not.toMatch(/Acme\/Kit@mail|installs/)
    expect((await find('zymurgy')).output).toContain('No skills found')
  })
  test('npx skills add takes the skills of a page, byte by byte, and update takes what has changed', async () => {
    const { folder, output } = await run(['add', `${shared().url}/skills/acme/post`, '--yes'])
    const installed = (name: string) => readFileSync(join(folder, '.agents/skills', name, 'SKILL.md'), 'utf8')

    expect(output).toContain('Installed 2 skills')
    expect([installed('letters'), installed('parcels')]).toEqual([textOf('letters'), textOf('parcels')])
    const { skills: locked } = JSON.parse(readFileSync(join(folder, 'skills-lock.json'), 'utf8'))
    expect(locked).toMatchObject({ letters: { wellKnownDigest: digestOf(textOf('letters')) }, parcels: {} })
    expect(locked).not.toHaveProperty('stamps')

    const update = () => run(['update', '--yes', '--project'], {}, folder)
    expect((await update()).output).toContain('Checking 2 skill(s)')
    expect(installed('letters')).toBe(textOf('letters'))
    const newer = withText({ owner: 'Acme', repo: 'Post', skill: 'letters' }, `${textOf('letters')}More.\n`, 1)
    await shared().stores.catalog.put('skills', [newer.skill])
    await keepContents(shared().stores.catalog, [newer.content])
    await update()
    expect(installed('letters')).toBe(newer.content.text)
  })

  test('the lock files of npx skills are resolved: by the hashes of the client, and by its index', async () => {
    const place = temporaryFolder()
    const written = {
      'skills/pdf/SKILL.md': textOf('pdf'),
      'skills/mail/SKILL.md': textOf('mail'),
      'skills/mail/a.sh': '',
    }
    gitRepository(join(place, 'orchard/kit.git'), null, written)
    // The client clones from GitHub, and git from here.
    const gitConfig = join(place, 'gitconfig')
    writeFileSync(gitConfig, `[url "file://${place}/"]\n\tinsteadOf = https://github.com/\n`)
    const more = [
      withText(
        { owner: 'Orchard', repo: 'Kit', skill: 'pdf', url: 'https://github.com/Orchard/Kit' },
        textOf('pdf'),
        1,
      ),
      withText({ owner: 'Orchard', repo: 'Kit', skill: 'mail', url: null }, textOf('mail'), 2),
    ]
    const { catalog } = shared().stores
    await catalog.put(
      'skills',
      more.map(({ skill }) => skill),
    )
    await keepContents(
      catalog,
      more.map(({ content }) => content),
    )
    const env = { GIT_CONFIG_GLOBAL: gitConfig, GIT_CONFIG_NOSYSTEM: '1' }
    const add = ['add', 'orchard/kit', '--skill', 'pdf', '--skill', 'mail', '--yes']
    const { folder } = await run(add, env)
    await run(['add', `${shared().url}/skills/acme/post@parcels`, '--yes'], env, folder)
    await run([...add, '--global'], env, folder)
    const resolve = async (file: string, ...options: string[]) => {
      const args = ['resolve', join(folder, file), '--url', shared().url, '--json', ...options]
      const { json } = await runCatalog('/dev/null/none', args)
      const data = json['data'] as { name: string; status: string; compared: string | null }[]
      return Object.fromEntries(data.map(({ name, status, compared }) => [name, `${status} ${compared}`]))
    }

    const byHash = { pdf: 'current folder', mail: 'unknown null' }
    expect(await resolve('skills-lock.json', '--no-local')).toEqual({ ...byHash, parcels: 'current digest' })
    expect(await resolve('.agents/.skill-lock.json', '--no-local')).toEqual(byHash)
    const byFile = { pdf: 'current digest', mail: 'current digest' }
    expect(await resolve('skills-lock.json')).toEqual({ ...byFile, parcels: 'current digest' })
    expect(await resolve('.agents/.skill-lock.json')).toEqual(byFile)

    const newer = withText({ owner: 'Orchard', repo: 'Kit', skill: 'mail', url: null }, `${textOf('mail')}More.\n`, 2)
    await catalog.put('skills', [newer.skill])
    expect(await resolve('skills-lock.json')).toMatchObject({ pdf: 'current digest', mail: 'outdated digest' })
  })

  test('a skill whose name is none of an id is installed by the line that names it', async () => {
    const place = temporaryFolder()
    gitRepository(join(place, 'orchard/press.git'), null, { 'skills/labels/SKILL.md': textOf('Mail Labels é') })
    const gitConfig = join(place, 'gitconfig')
    writeFileSync(gitConfig, `[url "file://${place}/"]\n\tinsteadOf = https://github.com/\n`)
    const { body } = await shared().get('/api/search?q=mail+labels')
    expect(body).toMatchObject({
      skills: expect.arrayContaining([
        expect.objectContaining({ id: 'orchard/press/mail-labels-e', name: named.name }),
      ]),
    })
    const command =
      installLine(named)
        ?.match(/"[^"]+"|\S+/g)
        ?.map((word) => word.replaceAll('"', '')) ?? []
    expect(command.slice(0, 3)).toEqual(['npx', 'skills', 'add'])

    const { output } = await run([...command.slice(2), '--yes'], {
      GIT_CONFIG_GLOBAL: gitConfig,
      GIT_CONFIG_NOSYSTEM: '1',
    })

    expect(output).toContain('Installed 1 skill')
  })

  test('npx skills add says of a skill with more files that it is not here', async () => {
    const { output } = await run(['add', `${shared().url}/skills/acme/post@stamps`, '--yes'])
    expect(output).toMatch(/No (?:matching )?skills/)
  })
  inBothModes(
    (urls) => serveSample(urls),
    (served) => takesTheSample(run, served),
  )
})

/** What a user of the sample does: finds a skill, takes it, and those that are new. */
function takesTheSample(run: RunClient, served: () => ServedMode): void {
  test('finds skills by words, and of one owner', async () => {
    const env = { SKILLS_API_URL: served().url }
    expect((await run(['find', 'pdf', 'tables'], env)).output).toContain('Quillmoor/pdf-table-lifter@pdf-table-lifter')
    expect((await run(['find', 'notebook', '--owner', 'saltmarsh-data'], env)).output).toContain(
      'saltmarsh-data/notebook-to-module@',
    )
  })

  test('takes one skill, as the catalog keeps it, which its lock file shows as current', async () => {
    const id = 'saltmarsh-data/notebook-to-module'
    const { folder } = await run(['add', `${served().url}/skills/${id}`, '--yes'])
    const kept = await (await fetch(`${served().url}/api/v1/skills/${id}/SKILL.md`)).text()
    expect(readFileSync(join(folder, '.agents/skills/notebook-to-module/SKILL.md'), 'utf8')).toBe(kept)
    const lockFile = join(folder, 'skills-lock.json')
    const args = ['resolve', lockFile, '--no-local', '--url', served().url, '--json']
    expect((await runCatalog('/dev/null/none', args)).json).toMatchObject({
      status: 0,
      data: [{ name: 'notebook-to-module', presentId: id, status: 'current', compared: 'digest' }],
    })
  })

  test('of skills that were taken from the index of the newest, a check for updates says nothing', async () => {
    const { folder } = await run(['add', served().url, '--skill', 'notebook-to-module', '--yes'])
    const { output } = await run(['update', '--yes', '--project'], {}, folder)
    expect(output).toContain('Failed to check')
    expect(output).not.toContain('deleted')
  })

  test('lists those that are new in the catalog', async () => {
    expect((await run(['add', served().url, '--list'])).output).toContain('notebook-to-module')
  })
}
