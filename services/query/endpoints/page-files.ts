import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import swaggerUiFolder from 'swagger-ui-dist/absolute-path.js'
import { projectRoot } from '../../../shared/project-root.js'
import type { Endpoint } from '../endpoint.js'
import { SendableText } from '../sendable-text.js'
import { textEndpoint } from '../text-endpoint.js'

const script = 'text/javascript; charset=utf-8'
const stylesheet = 'text/css; charset=utf-8'

const ours = (name: string) => join(projectRoot(), 'services', 'query', 'web', name)
const swaggerUi = (name: string) => join(swaggerUiFolder(), name)

/** The files that pages of ours consist of, each at a path of its own. */
export const pageFiles: Endpoint[] = [
  pageFile('/assets/page.css', stylesheet, () => ours('page.css')),
  pageFile('/assets/explorer.css', stylesheet, () => ours('explorer.css')),
  pageFile('/assets/explorer.js', script, () => ours('explorer.js')),
  pageFile('/assets/icon.svg', 'image/svg+xml', () => ours('icon.svg')),
  pageFile('/docs/docs.js', script, () => ours('docs.js')),
  pageFile('/docs/swagger-ui.css', stylesheet, () => swaggerUi('swagger-ui.css')),
  pageFile('/docs/swagger-ui-bundle.js', script, () => swaggerUi('swagger-ui-bundle.js')),
]

/** A file that is read when it is first asked for, and kept. */
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
          // Another time it may be there.
          text = null
          throw error
        },
      )
      return { text: await text }
    },
  })
}
