import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { createSchema } from 'zod-openapi'
import { tidy } from '../openapi/documented-as.js'

/**
 * A schema as tools are registered with: its JSON Schema is made once, as in the OpenAPI document. Values pass as they are:
 * a tool checks its arguments itself, so that its errors name the remedy, and shapes its result.
 */
export function registeredSchema(schema: z.ZodObject, io: 'input' | 'output'): StandardSchemaWithJSON {
  const created = createSchema(schema, { io, opts: { override: tidy }, schemaRefPath: '#/$defs/' })
  const definitions = Object.keys(created.components).length === 0 ? {} : { $defs: created.components }
  const properties =
    io === 'input' ? { properties: described(schema, created.schema), additionalProperties: false } : {}
  const json = { ...created.schema, ...properties, ...definitions }
  const toJson = () => json
  return {
    '~standard': {
      version: 1,
      vendor: 'skill-catalog',
      validate: (value) => ({ value }),
      jsonSchema: { input: toJson, output: toJson },
    },
  }
}

/** The properties with their descriptions: those of parameters are in the OpenAPI document elsewhere. */
function described(schema: z.ZodObject, json: object): Record<string, object> {
  const { properties = {} } = json as { properties?: Record<string, object> }
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const { description } = schema.shape[name] as z.ZodType
      return [name, description === undefined ? property : { ...property, description }]
    }),
  )
}
