import { workerData } from 'piscina'
import { answering } from '../../runtime/thread-pool.js'
import type { OnnxFolder } from './onnx-folder.js'
import { OnnxModel } from './onnx-model.js'

const loading = OnnxModel.load(workerData as OnnxFolder)
// Handled when it is awaited.
loading.catch(() => undefined)

/** Embeds a batch of texts: their vectors, one after the other; the entry point of the thread. */
export default answering(async (texts: string[]) => (await loading).embed(texts))
