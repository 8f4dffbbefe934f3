import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { createSchema } from 'zod-openapi'
import { type AppError, invalidParameters } from '../../../shared/runtime/errors.js'
import { visibleText } from '../../../shared/text/clean-text.js'
import { tidy } from '../openapi/documented-as.js'
import { parseGiven } from '../request/parse-query.js'
import { fromJson } from '../request/read-body.js'
import type { AskEndpoint } from '../request/routes.js'

/** The parameters of an endpoint as text, as in a URL. */
export type Parameters = [name: string, value: string][]

/** The definition of a tool: what it takes and gives, and how it asks an endpoint. */
interface ToolDefinition<Result extends z.ZodObject> {
  /** The name of the tool, in snake case. */
  name: string
  title: string
  /** What it is for and when to use it, for models. */
  description: string
  /** Its arguments: schemas from text to value, as those of endpoints. */
  takes: z.ZodObject
  /** The schema of its structured result. */
  gives: Result
  /** @throws AppError as the endpoint */
  run(parameters: Parameters, ask: AskEndpoint): Promise<z.output<Result>>
  /** The result as text for a model: short, and complete without the structure. */
  toText(result: z.output<Result>): string
}

/** A tool of the MCP server. */
export interface Tool {
  name: string
  title: string
  description: string
  inputSchema: StandardSchemaWithJSON
  outputSchema: StandardSchemaWithJSON
  /** @throws AppError `invalid_parameters` that names every bad argument; as the endpoint */
  call(given: Record<string, unknown>, ask: AskEndpoint): Promise<{ result: Record<string, unknown>; text: string }>
}

/** Creates a tool; its JSON Schemas are made here, once. */
export function tool<Result extends z.ZodObject>(definition: ToolDefinition<Result>): Tool {
  const { name, title, description, takes, gives, run, toText } = definition
  return {
    name,
    title,
    description,
    inputSchema: registeredSchema(takes, 'input'),
    outputSchema: registeredSchema(gives, 'output'),
    async call(given, ask) {
      const result = await run(toParameters(given, takes), ask)
      return { result, text: toText(result) }
    },
  }
}

/**
 * The arguments of a tool as parameters of an endpoint.
 *
 * @throws AppError `invalid_parameters` that names every bad argument
 */
function toParameters(given: Record<string, unknown>, takes: z.ZodObject): Parameters {
  const { parameters, errors } = fromJson(given, takes)
  const parsed = parseGiven(parameters, takes, { errors, of: 'tool' })
  if (parsed.errors !== undefined) {
    throw invalidParameters(parsed.errors)
  }
  return parameters
}

/**
 * A schema as tools are registered with: its JSON Schema is made once, as in the OpenAPI document. Values pass as they are:
 * a tool checks its arguments itself, so that its errors name the remedy, and shapes its result.
 */
function registeredSchema(schema: z.ZodObject, io: 'input' | 'output'): StandardSchemaWithJSON {
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

/** An error for a model: a line for each bad argument; else its message, with the ids that may have been meant. */
export function errorText({ errors = [], message, extensions: { suggestions } }: AppError): string {
  const lines = errors.map(({ parameter, message }) => `${parameter}: ${message}`)
  const similar = Array.isArray(suggestions) && suggestions.length > 0 ? [`Similar ids: ${suggestions.join(', ')}`] : []
  return visibleText((lines.length > 0 ? lines : [message, ...similar]).join('\n'))
}
