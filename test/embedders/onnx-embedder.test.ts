import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { OnnxEmbedder } from '../../shared/adapters/embedders/onnx-embedder.js'
import { importRuntime, runtimeVersion } from '../../shared/adapters/embedders/onnx-model.js'
import type { Vector } from '../../shared/ports/embedder.js'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { afterTest } from '../support/after-test.js'
import { embeddingModelFolder, whenEmbeddingModel } from '../support/embedding-model.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** The cosine, since vectors have unit length. */
const similarity = (a: Vector | undefined, b: Vector | undefined): number =>
  a?.reduce((sum, number, at) => sum + number * Number(b?.[at]), 0) ?? Number.NaN

whenEmbeddingModel(() => {
  let embedder: OnnxEmbedder
  beforeAll(async () => {
    embedder = await OnnxEmbedder.open(embeddingModelFolder)
  })
  afterAll(() => embedder?.close())

  test('the vectors are those that the makers of the model publish', async () => {
    // The cosines in the model's description: https://www.sbert.net/docs/quickstart.html
    const [weather, sunny, stadium] = await embedder.embed(
      ['The weather is lovely today.', "It's so sunny outside!", 'He drove to the stadium.'],
      'document',
    )

    expect(similarity(weather, sunny)).toBeCloseTo(0.666, 3)
    expect(similarity(weather, stadium)).toBeCloseTo(0.1046, 3)
    expect(similarity(sunny, stadium)).toBeCloseTo(0.1411, 3)
  })

  test('the order of the texts and their company do not matter', async () => {
    const texts = Array.from({ length: 40 }, (_, at) => `text ${at} ${'with some more words '.repeat(at % 7)}`)

    const together = await embedder.embed(texts, 'document')
    const alone = await embedder.embed([String(texts[17])], 'document')

    expect(together).toHaveLength(40)
    expect(similarity(together[17], alone[0])).toBeCloseTo(1, 5)
    expect(similarity(together[17], together[18])).toBeLessThan(0.99)
  })

  test('a long text is cut at the limit of its tokenizer, 128 tokens', async () => {
    const begin = 'word '.repeat(126)
    const [limit, longer, shorter] = await embedder.embed(
      [begin, `${begin}${'pdf table '.repeat(3_000)}`, 'word '.repeat(50)],
      'document',
    )

    expect(similarity(limit, longer)).toBeCloseTo(1, 5)
    expect(similarity(limit, shorter)).toBeLessThan(0.999)
  })

  test('a vector has 384 numbers and unit length, that of an empty text has zeros', async () => {
    const [blank, text] = await embedder.embed([' \n', 'text'], 'query')

    expect([await embedder.dimensions(), text?.length]).toEqual([384, 384])
    expect(blank).toEqual(new Float32Array(384))
    expect(similarity(text, text)).toBeCloseTo(1, 5)
    expect(await embedder.embed([], 'document')).toEqual([])
  })

  test('an aborted call ends with the reason, and later calls work', async () => {
    const stop = new AbortController()
    const texts = Array.from({ length: 200 }, (_, at) => `text ${at}`)
    const embedding = embedder.embed(texts, 'document', stop.signal)
    stop.abort(new Error('stopped by the test'))

    await expect(embedding).rejects.toThrow('stopped by the test')
    expect(await embedder.embed(['text'], 'query')).toHaveLength(1)
  })

  test('a query does not wait for the documents before it, nor does the event loop', async () => {
    const texts = Array.from({ length: 200 }, (_, at) => `a document about the number ${at}`)
    const ended: string[] = []
    const startedMs = performance.now()
    let ticks = 0
    const ticking = setInterval(() => {
      ticks += 1
    }, 1)
    const documents = embedder.embed(texts, 'document').then(() => ended.push('documents'))
    await embedder.embed(['a query'], 'query').then(() => ended.push('query'))
    await documents
    clearInterval(ticking)

    expect(ended).toEqual(['query', 'documents'])
    // Each batch takes some 20 ms.
    expect(ticks).toBeGreaterThan((performance.now() - startedMs) / 10)
  })

  test('the vector of the first token counts where 1_Pooling/config.json says so', async () => {
    const folder = modelFolder({ '1_Pooling/config.json': { pooling_mode_cls_token: true } })
    const byFirst = await OnnxEmbedder.open(folder)
    afterTest(() => byFirst.close())
    const [vector] = await byFirst.embed(['Extracts tables from PDF files'], 'document')
    const [mean] = await embedder.embed(['Extracts tables from PDF files'], 'document')

    expect(similarity(vector, vector)).toBeCloseTo(1, 5)
    expect(similarity(vector, mean)).toBeLessThan(0.9)
    expect(byFirst.model).not.toBe(embedder.model)
    expect(byFirst.model).toMatch(/^onnx:[0-9a-f]{12}$/)
  })

  test('the prompts of config_sentence_transformers.json are written before the texts', async () => {
    const prompted = await OnnxEmbedder.open(
      modelFolder({ 'config_sentence_transformers.json': { prompts: { query: 'query: ', passage: 'passage: ' } } }),
    )
    afterTest(() => prompted.close())
    const [query] = await prompted.embed(['pdf'], 'query')
    const [document] = await prompted.embed(['pdf'], 'document')
    const [asQuery, asDocument] = await embedder.embed(['query: pdf', 'passage: pdf'], 'query')

    expect(similarity(query, asQuery)).toBeCloseTo(1, 5)
    expect(similarity(document, asDocument)).toBeCloseTo(1, 5)
  })

  test.each([
    ['a file that is no model', { 'model.onnx': 'not a model' }, /model.onnx cannot be used \(.+\): choose a sentence/],
    ['a tokenizer that is no JSON', { 'tokenizer.json': 'not JSON' }, /tokenizer.json is not understood \(SyntaxError/],
    [
      'an unknown pooling',
      { '1_Pooling/config.json': { pooling_mode_max_tokens: true } },
      /asks for another pooling than mean or cls/,
    ],
  ])('%s is refused with its name', async (_, files, message) => {
    const opening = OnnxEmbedder.open(modelFolder(files))

    await expect(opening).rejects.toMatchObject({ code: 'embedder_refused' })
    await expect(opening).rejects.toThrow(message)
  })
})

describe('without a model', () => {
  test('an empty folder is refused with the name of the missing file', async () => {
    const folder = temporaryFolder()
    await expect(OnnxEmbedder.open(folder)).rejects.toThrow(`The folder ${folder} has no model.onnx or onnx/model.onnx`)

    mkdirSync(join(folder, 'onnx'))
    writeFileSync(join(folder, 'onnx/model.onnx'), '')
    await expect(OnnxEmbedder.open(folder)).rejects.toMatchObject({
      code: 'embedder_refused',
      message: expect.stringContaining('has no tokenizer.json: set EMBEDDER_MODEL to the folder'),
    })
  })

  test('without onnxruntime-node, message and document name the command that installs the supported version', async () => {
    const read = (file: string) => readFileSync(join(projectRoot(), file), 'utf8')
    const command = `npm install --no-save --ignore-scripts onnxruntime-node@${runtimeVersion}`
    const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })

    await expect(importRuntime(() => Promise.reject(missing))).rejects.toMatchObject({
      code: 'embedder_refused',
      message: expect.stringContaining(`(ERR_MODULE_NOT_FOUND): run ${command}`),
    })
    expect(read('docs/configuration.md')).toContain(command)
  })
})

/** A folder with the model and these further or other files. */
function modelFolder(files: Record<string, object | string>): string {
  const folder = temporaryFolder()
  for (const name of ['model.onnx', 'tokenizer.json'].filter((each) => !(each in files))) {
    symlinkSync(join(embeddingModelFolder, name), join(folder, name))
  }
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  }
  return folder
}
