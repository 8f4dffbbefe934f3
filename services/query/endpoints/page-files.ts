import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import swaggerUiFolder from 'swagger-ui-dist/absolute-path.js'
import { projectRoot } from '../../../shared/runtime/project-root.js'
import type { Endpoint } from '../http/endpoint.js'
import { SendableText } from '../http/sendable-text.js'
import { textEndpoint } from '../http/text-endpoint.js'

const script = 'text/javascript; charset=utf-8'
const stylesheet = 'text/css; charset=utf-8'

const ours = (name: string) => join(projectRoot(), 'dist', 'web', name)
const swaggerUi = (name: string) => join(swaggerUiFolder(), name)

/** The files of pages that keep their names, each at its own path. */
export const pageFiles: Endpoint[] = [
  pageFile('/assets/icon.svg', 'image/svg+xml', () => ours('icon.svg')),
  pageFile('/docs/swagger-ui.css', stylesheet, () => swaggerUi('swagger-ui.css')),
  pageFile('/docs/swagger-ui-bundle.js', script, () => swaggerUi('swagger-ui-bundle.js')),
]

/** A file that is read at its first request, and kept. */
function pageFile(path: string, produces: string, source: () => string): Endpoint {
  let text: Promise<SendableText> | null = null
  return textEndpoint({
    name: 'page-file',
    path,
    summary: 'A part of a page',
    docs: null,
    produces,
    cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 86_400 },

    async handle() {
      text ??= readFile(source(), 'utf8').then(
        (content) => new SendableText(content),
        (error: unknown) => {
          // The next request tries to read it again.
          text = null
          throw error
        },
      )
      return { text: await text }
    },
  })
}
