import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { describeUnless } from './skip.js'

/** The folder of all-MiniLM-L6-v2 in the ONNX format, see infra/embedding-model. */
export const embeddingModelFolder = join(projectRoot(), 'infra/embedding-model/target/all-minilm-l6-v2')

/** Defines tests that need a sentence model; where it is missing, a skipped test says so. */
export function whenEmbeddingModel(define: () => void): void {
  const isFound = existsSync(join(embeddingModelFolder, 'model.onnx'))
  const missing = isFound ? (hasRuntime() ? null : 'onnxruntime-node') : 'the embedding model'
  const reason = missing && `${missing} is missing: run .ci/install-servers`
  describeUnless(reason, 'with all-MiniLM-L6-v2', define)
}

function hasRuntime(): boolean {
  try {
    createRequire(import.meta.url).resolve('onnxruntime-node')
    return true
  } catch {
    return false
  }
}
