// The model that a table is trained with.
import { hash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOnnxFolder } from '../../shared/adapters/embedders/onnx-folder.js'
import { OnnxModel } from '../../shared/adapters/embedders/onnx-model.js'

/** Texts that the model reads at a time, and tokens of each. */
const reading = { texts: 64, tokens: 128 }

export class Teacher {
  /** The words of its vocabulary, the most frequent first. */
  readonly words: string[]
  readonly #model: OnnxModel
  readonly #folder: string
  readonly #digest: string

  private constructor(model: OnnxModel, folder: string, digest: string) {
    this.#model = model
    this.#folder = folder
    this.#digest = digest
    const { model: vocabulary } = JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')) as {
      model: { vocab: object }
    }
    this.words = Object.keys(vocabulary.vocab).filter((word) => /^[a-z]{3,}$/.test(word))
  }

  /** @param folder as `readOnnxFolder` reads it */
  static async open(folder: string): Promise<Teacher> {
    const found = { ...(await readOnnxFolder(folder)), maxTokens: reading.tokens }
    return new Teacher(await OnnxModel.load(found), folder, found.digest)
  }

  /** The vectors of texts, of unit length. They are kept in the model's folder. */
  async read(texts: string[]): Promise<Float32Array[]> {
    const key = hash('sha256', [this.#digest, reading.tokens, ...texts].join('\n')).slice(0, 16)
    const file = join(this.#folder, `vectors-${key}.f32`)
    if (!existsSync(file)) {
      writeFileSync(file, await this.#ask(texts))
    }
    const { buffer, byteOffset, length } = readFileSync(file)
    const all = new Float32Array(buffer, byteOffset, length / Float32Array.BYTES_PER_ELEMENT)
    const width = all.length / texts.length
    return texts.map((_, at) => all.subarray(at * width, (at + 1) * width))
  }

  /** The vectors one after the other. Texts of about the same length are read together. */
  async #ask(texts: string[]): Promise<Float32Array> {
    const order = [...texts.keys()].toSorted((a, b) => (texts[a] ?? '').length - (texts[b] ?? '').length)
    let vectors = new Float32Array()
    for (let from = 0; from < order.length; from += reading.texts) {
      const chosen = order.slice(from, from + reading.texts)
      const found = await this.#model.embed(chosen.map((at) => texts[at] ?? ''))
      const width = found.length / chosen.length
      if (vectors.length === 0) {
        vectors = new Float32Array(texts.length * width)
      }
      for (const [place, at] of chosen.entries()) {
        vectors.set(found.subarray(place * width, (place + 1) * width), at * width)
      }
    }
    return vectors
  }
}
