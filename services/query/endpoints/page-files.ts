import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import swaggerUiFolder from 'swagger-ui-dist/absolute-path.js'
import { builtFiles } from '../pages/render-page.js'
import { type Endpoint, endpoint } from '../request/endpoint.js'
import { SendableText } from '../request/sendable-text.js'

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

/** Names with a hash of the content, as Vite writes them. */
const hashedName = /-[\w-]{8}\.(?:js|css)$/

const swaggerUi = (name: string): [path: string, content: Buffer] => [
  `/docs/${name}`,
  readFileSync(join(swaggerUiFolder(), name)),
]

/** Other paths of icons, which browsers ask for by themselves. */
const otherPaths: Record<string, string[]> = {
  'icon.svg': ['/favicon.ico'],
  'icon.png': ['/apple-touch-icon.png', '/apple-touch-icon-precomposed.png'],
}

/**
 * The scripts, stylesheets and icons of pages, each at its own path. They are a part of the page, which has been counted, so
 * they consume no quota: over the limit, a page still looks like one.
 */
export const pageFiles: Endpoint[] = [
  ...[...builtFiles].flatMap(([name, content]) =>
    [`/assets/${name}`, ...(otherPaths[name] ?? [])].map((path) => pageFile(path, content, types[extname(name)])),
  ),
  ...['swagger-ui.css', 'swagger-ui-bundle.js'].map((name) => pageFile(...swaggerUi(name))),
]

function pageFile(path: string, content: Buffer, produces = types[extname(path)]): Endpoint {
  const text = new SendableText(content)
  return endpoint({
    name: 'page-file',
    path,
    summary: 'A part of a page',
    docs: null,
    produces: produces ?? 'application/octet-stream',
    limits: [],
    cache: hashedName.test(path)
      ? { maxAgeSeconds: 31_536_000, immutable: true }
      : { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 86_400 },

    async handle() {
      return { text }
    },
  })
}
