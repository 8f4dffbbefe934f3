import { workerData } from 'piscina'
import { AppError } from '../../runtime/errors.js'
import type { OnnxFolder } from './onnx-folder.js'
import { OnnxModel } from './onnx-model.js'

/** The vectors of texts, one after the other; or an error as plain data, since a copy would lose its class. */
export type OnnxResult = { vectors: Float32Array } | { error: Pick<AppError, 'status' | 'code' | 'message'> }

const loading = OnnxModel.load(workerData as OnnxFolder)
// Handled when it is awaited.
loading.catch(() => undefined)

/** Embeds a batch of texts; the entry point of the thread. */
export default async function embed(texts: string[]): Promise<OnnxResult> {
  try {
    const model = await loading
    return { vectors: await model.embed(texts) }
  } catch (error) {
    if (error instanceof AppError) {
      const { status, code, message } = error
      return { error: { status, code, message } }
    }
    throw error
  }
}
