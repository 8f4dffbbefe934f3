import type { TestApp, TestResponse } from '../support/test-app.js'

/** The part of the document that these tests read. */
export interface Document {
  openapi: string
  paths: Record<string, { get?: Operation; post?: Operation }>
  components: {
    headers: Record<string, Described>
    responses: Record<string, Response>
    schemas: Record<string, Schema>
  }
}
interface Described {
  description?: string
}
interface Schema extends Described {
  $ref?: string
  properties?: Record<string, Schema>
  items?: Schema
  required?: string[]
}
interface Operation {
  operationId: string
  parameters?: (Described & { name: string; in?: string; required?: boolean; example?: unknown })[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, Response>
}
export interface Response {
  $ref?: string
  description?: string
  headers?: object
  content?: Record<string, { schema: Schema }>
}

export const documentOf = async (api: TestApp) => (await api.get('/openapi.json')).body as Document

/** Transport and security headers: every response has them. */
const ofTransport = new Set([
  'access-control-allow-origin',
  'access-control-expose-headers',
  'connection',
  'content-encoding',
  'content-length',
  'content-security-policy',
  'content-type',
  'cross-origin-resource-policy',
  'date',
  'keep-alive',
  'referrer-policy',
  'transfer-encoding',
  'x-content-type-options',
])

export const lowerCase = (names: Iterable<string>) => [...names].map((name) => name.toLowerCase()).sort()

/** The template among the paths of the document for a path as requested; undefined: none. */
export const templateFor = (paths: Document['paths'], asked: string): string | undefined =>
  Object.keys(paths).find((template) =>
    new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(asked.replace(/\?.*/s, '')),
  )

/** The documented response for a response to a path of the document. */
export function documented({ paths, components }: Document, path: string, { status }: TestResponse): Response {
  const response = paths[path]?.get?.responses[status]
  const name = response?.$ref?.split('/').at(-1)
  return (name === undefined ? response : components.responses[name]) ?? {}
}

/** The names of the headers that a response has in addition to those of every response. */
export const sentHeaders = ({ headers }: { headers: object }): string[] =>
  lowerCase(Object.keys(headers)).filter((name) => !ofTransport.has(name))

/** The names of the headers that a response is documented with. */
export const namedHeaders = ({ headers = {} }: Response): string[] => lowerCase(Object.keys(headers))
