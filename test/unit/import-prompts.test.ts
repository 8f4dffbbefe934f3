import { beforeEach, describe, expect, test } from '@jest/globals'
import { promptId } from '../../shared/text/prompt-id.js'
import { aPrompt } from '../support/factories.js'
import { openImportBench } from '../support/import-bench.js'

describe('prompts without ids', () => {
  let bench: Awaited<ReturnType<typeof openImportBench>>
  beforeEach(async () => {
    bench = await openImportBench()
  })

  const prompt = (content: string, contributor?: string) =>
    `${JSON.stringify({ act: 'Code Reviewer', prompt: content, contributor })}\n`
  const file = {
    'a.ndjson': [
      prompt('one', 'jane'),
      prompt('two', 'hans'),
      prompt('three'),
      prompt('four'),
      prompt('five', 'jane'),
    ].join(''),
  }
  const contents = async (): Promise<Map<string, unknown>> => {
    const stored = await bench.catalog.findStored('prompts', await bench.catalog.listIds('prompts', null, 100))
    return new Map(stored.map(({ id, stored: each }) => [id, (each as { content: unknown }).content]))
  }

  test('of one title are prompts of their own, and the same file again changes nothing', async () => {
    const { counts } = await bench.importFiles(file, { type: 'prompts' })
    const first = await contents()
    const again = await bench.importFiles(file, { type: 'prompts', recordsPerPut: 2, replace: true })

    expect([counts.added, again.counts.unchanged, again.notReplaced]).toEqual([5, 5, null])
    expect([...first.values()].sort()).toEqual(['five', 'four', 'one', 'three', 'two'])
    expect(await contents()).toEqual(first)
  })

  test.each([
    ['by its author', 'jane', 'one, corrected'],
    ['by its content', null, 'three'],
  ])(
    'a prompt that the catalog has under an id by its title alone is recognized %s, and keeps that id',
    async (_how, author, content) => {
      const old = promptId('Code Reviewer')
      await bench.catalog.put('prompts', [
        aPrompt({
          id: old,
          title: 'Code Reviewer',
          author,
          content: content.replace(', corrected', ''),
          state: 'hidden',
        }),
        aPrompt({ id: 'own-0123456789ab' }),
      ])
      const corrected = { 'a.ndjson': file['a.ndjson'].replace('"one"', '"one, corrected"') }
      const { counts } = await bench.importFiles(corrected, { type: 'prompts', replace: true })
      const { counts: again } = await bench.importFiles(corrected, { type: 'prompts', replace: true })

      expect(counts).toMatchObject({ added: 4, removed: 1 })
      expect(again).toMatchObject({ unchanged: 5, removed: 0 })
      expect((await contents()).get(old)).toBe(content)
      expect(await bench.catalog.findStored('prompts', [old])).toMatchObject([{ stored: { state: 'hidden' } }])
    },
  )

  test('a rejected one is not taken for removed', async () => {
    await bench.importFiles(file, { type: 'prompts' })
    const rejected = {
      'a.ndjson': `${JSON.stringify({ act: 'Code Reviewer', contributor: 'hans' })}\n${prompt('one', 'jane')}`,
    }

    await bench.importFiles(rejected, { type: 'prompts', replace: true })

    expect([...(await contents()).values()].sort()).toEqual(['one', 'two'])
  })
})
