import { expect, test } from '@jest/globals'
import type { Catalog } from '../../shared/ports/catalog.js'
import type { ChangeLog } from '../../shared/ports/change-log.js'
import type { StoredSkill } from '../../shared/records/skill.js'
import { digestOf } from '../../shared/text/skill-text.js'
import { aSkill } from '../support/factories.js'
import { keepContents } from '../support/keep-contents.js'

/** The part of the contract about texts, which an index reads while records and hashes stay as they are. */
export function changesOfTexts(
  opened: () => { catalog: Catalog; changes: ChangeLog; ingest(): Promise<unknown> },
): void {
  const put = (...skills: Partial<StoredSkill>[]) =>
    opened().catalog.put(
      'skills',
      skills.map((skill) => aSkill(skill)),
    )
  const read = async (sequence = 0) => (await opened().changes.after(sequence, 10_000)).changes

  test('a skill is logged again when its text changes, and not when only its files do', async () => {
    const digest = digestOf('own')
    const withText = { digest, stars: 1 }
    await put({ repo: 'late', ...withText }, { repo: 'hidden', ...withText, state: 'hidden' }, { repo: 'other' })
    await opened().ingest()
    const keep = async (repo: string, text: string, total = 0) => {
      const files = { files: [], total }
      await keepContents(opened().catalog, [{ id: `acme/${repo}`, digest, text, files }])
      await opened().ingest()
    }
    const before = await read()
    const logged = async (): Promise<string[]> => {
      const since = position
      position = (await opened().changes.bounds()).head
      return (await read(since)).map(({ id, contentHash }) => (contentHash === null ? `-${id}` : id))
    }
    let position = (await opened().changes.bounds()).head

    await keep('late', 'one')
    expect(await logged()).toEqual(['acme/late'])
    expect((await read()).find(({ id }) => id === 'acme/late')?.contentHash).toBe(
      before.find(({ id }) => id === 'acme/late')?.contentHash,
    )
    await keep('late', 'one')
    await keep('late', 'one', 7)
    await keep('hidden', 'one')
    expect(await logged()).toEqual([])
    await keep('late', 'two')
    expect(await logged()).toEqual(['acme/late'])

    // It has lost its text, and is as it was logged.
    const replace = (changed: Partial<StoredSkill>) => put({ repo: 'late', ...withText, ...changed })
    await replace({ digest: digestOf('newer') })
    await replace({})
    await opened().ingest()
    expect(await logged()).toEqual(['acme/late'])
    await opened().ingest()
    expect(await logged()).toEqual([])
  })
}
