import type { Piscina } from 'piscina'
import type { Embedder, TextPurpose, Vector } from '../../ports/embedder.js'
import { AppError } from '../../runtime/errors.js'
import { openThreadPool } from '../../runtime/thread-pool.js'
import { divideIntoBatches, embedderUnavailable, Turns } from './batches.js'
import { type OnnxFolder, readOnnxFolder } from './onnx-folder.js'

/** Small, since a query waits for the end of a batch of documents; larger ones are hardly faster on processors. */
const batchLimits = { maxTexts: 8, maxCharacters: 1_500 }

/** More than 512 tokens have; tokenizing takes time for every character. */
const maxTextLength = 8_000

/**
 * A model in a local folder, see `readOnnxFolder`. It runs in a thread of its own, since the calls of
 * `onnxruntime-node` block their thread although they return promises.
 */
export class OnnxEmbedder implements Embedder {
  readonly kind = 'model'
  readonly model: string
  readonly #pool: Piscina
  readonly #prompts: OnnxFolder['prompts']
  readonly #turns = new Turns(1)
  readonly #dimensions: number

  private constructor(pool: Piscina, { digest, prompts }: OnnxFolder, dimensions: number) {
    this.model = `onnx:${digest.slice(0, 12)}`
    this.#pool = pool
    this.#prompts = prompts
    this.#dimensions = dimensions
  }

  /**
   * Loads the model.
   *
   * @throws AppError `embedder_refused` when the folder, the model or the package `onnxruntime-node` cannot be used
   */
  static async open(folder: string): Promise<OnnxEmbedder> {
    const files = await readOnnxFolder(folder)
    // The runtime would send data about models and machine to its maker, and keep a number of the machine in the home folder.
    // It reads this in C, where only the main thread sets variables. https://github.com/microsoft/onnxruntime/pull/27379
    process.env['ORT_DISABLE_TELEMETRY'] ??= '1'
    const pool = openThreadPool(import.meta.resolve('./onnx-thread.js'), files, { minThreads: 1, maxThreads: 1 })
    try {
      const { length } = await embedIn(pool, ['dimensions'])
      return new OnnxEmbedder(pool, files, length)
    } catch (error) {
      await pool.close()
      throw error
    }
  }

  async dimensions(): Promise<number> {
    return this.#dimensions
  }

  async embed(texts: string[], purpose: TextPurpose, signal?: AbortSignal): Promise<Vector[]> {
    const cut = texts.map((text) => text.trim().slice(0, maxTextLength))
    const vectors = cut.map(() => new Float32Array(this.#dimensions))
    for (const batch of divideIntoBatches(
      cut.map(({ length }) => length),
      batchLimits,
    )) {
      // A text without words has a vector of zeros.
      const members = batch.filter((at) => cut[at] !== '')
      if (members.length > 0) {
        const prompted = members.map((at) => `${this.#prompts[purpose]}${cut[at]}`)
        const found = await this.#turns.run(purpose, () => embedIn(this.#pool, prompted), signal)
        members.forEach((at, row) => {
          vectors[at]?.set(found.subarray(row * this.#dimensions, (row + 1) * this.#dimensions))
        })
      }
    }
    return vectors
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }
}

/** @throws AppError `embedder_refused`, `embedder_unavailable` */
const embedIn = (pool: Piscina, texts: string[]): Promise<Float32Array> =>
  pool.run(texts).catch((error) => {
    throw error instanceof AppError ? error : embedderUnavailable('its thread failed', 5, error)
  })
