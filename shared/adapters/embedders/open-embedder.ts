import { BuiltInEmbedder } from '../../embedding/built-in-embedder.js'
import type { Embedder } from '../../ports/embedder.js'
import type { Logger } from '../../runtime/log.js'
import type { EmbedderConfig } from '../../runtime/query-config.js'
import { CenteredEmbedder } from './centered-embedder.js'

/**
 * Opens the configured embedder; null: skills are found by their words only. A server is not asked for anything yet.
 *
 * @throws AppError `embedder_refused` with an operator's message when a local model cannot be used
 */
export async function openEmbedder(config: EmbedderConfig, log: Logger): Promise<Embedder | null> {
  switch (config.kind) {
    case 'off':
      return null
    case 'built-in':
      return new BuiltInEmbedder()
    case 'onnx': {
      const { OnnxEmbedder } = await import('./onnx-embedder.js')
      return new CenteredEmbedder(await OnnxEmbedder.open(config.folder))
    }
    case 'openai':
    case 'ollama': {
      const { HttpEmbedder } = await import('./http-embedder.js')
      return new CenteredEmbedder(new HttpEmbedder(config, { log }))
    }
  }
}
