import type { ZodOpenApiMetadata, ZodOpenApiOverride } from 'zod-openapi'

/** The JSON Schema of a value in the document. */
type DocumentedSchema = Extract<ZodOpenApiMetadata['override'], object>

/**
 * Sets the documented schema of a parameter: its own schema is one of texts, but generated clients should take the
 * number or time that the text stands for.
 */
export const documentedAs = (schema: DocumentedSchema): ZodOpenApiMetadata => ({
  override: ({ jsonSchema }) => {
    for (const name of Object.keys(jsonSchema)) {
      delete jsonSchema[name as keyof typeof jsonSchema]
    }
    Object.assign(jsonSchema, schema)
  },
})

/** Cleans up the converted schemas: removes noise, and restores what the converter drops. */
export const tidy: ZodOpenApiOverride = ({ jsonSchema, zodSchema, io }) => {
  const { def } = zodSchema._zod
  if (def.type === 'default' && jsonSchema.default === undefined) {
    jsonSchema.default = def.defaultValue
  }
  if (jsonSchema.format === 'date-time') {
    // Redundant with the format, and the pattern is five lines long.
    delete jsonSchema.pattern
  }
  // Useful as the limit of a parameter, noise in a response.
  if (io === 'output' && jsonSchema.maximum === Number.MAX_SAFE_INTEGER) {
    delete jsonSchema.maximum
  }
  // Of our own parser.
  for (const name of ['repeatable', 'formField']) {
    delete (jsonSchema as Record<string, unknown>)[name]
  }
}
