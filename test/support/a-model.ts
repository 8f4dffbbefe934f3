import { embedderUnavailable } from '../../shared/adapters/embedders/batches.js'
import { BuiltInEmbedder } from '../../shared/embedding/built-in-embedder.js'
import type { Embedder, TextPurpose, Vector } from '../../shared/ports/embedder.js'

/** An embedder that a test can take down, with the vectors of the built-in one. */
export interface TestModel extends Embedder {
  /** The documents that it was asked for and has answered, in order. */
  asked: string[]
  /** The number of calls, failed ones too. */
  calls: number
  isDown: boolean
  /** Documents after which it does not answer any more. */
  failAfter: number
  vectorOf(text: string): Promise<Vector>
}

/**
 * A model of sentences.
 *
 * @param dimensions at least 256: the further ones are zero
 */
export function aModel(model = 'model/1', dimensions = 256): TestModel {
  const builtIn = new BuiltInEmbedder()
  const asked: string[] = []
  const widened = (vector: Vector): Vector => {
    const wide = new Float32Array(dimensions)
    wide.set(vector)
    return wide
  }
  const own: TestModel = {
    model,
    kind: 'model',
    asked,
    calls: 0,
    isDown: false,
    failAfter: Number.POSITIVE_INFINITY,
    dimensions: async () => {
      if (own.isDown) {
        throw embedderUnavailable('nobody answers')
      }
      return dimensions
    },
    async embed(texts: string[], purpose: TextPurpose) {
      own.calls += 1
      if (own.isDown || asked.length + texts.length > own.failAfter) {
        throw embedderUnavailable('nobody answers')
      }
      asked.push(...(purpose === 'document' ? texts : []))
      return (await builtIn.embed(texts, purpose)).map(widened)
    },
    vectorOf: async (text) => widened((await builtIn.embed([text], 'query'))[0] ?? new Float32Array()),
    close: async () => undefined,
  }
  return own
}
