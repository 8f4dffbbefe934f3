import type { ZodOpenApiMetadata, ZodOpenApiOverride } from 'zod-openapi'

/** How a value is shown in the document, as JSON Schema. */
type Shown = Extract<ZodOpenApiMetadata['override'], object>

/**
 * Says how the document shows a parameter: its schema is one of texts, but what the text stands for is a number, or a
 * time, and generated clients should take one.
 */
export const shownAs = (shown: Shown): ZodOpenApiMetadata => ({
  override: ({ jsonSchema }) => {
    for (const name of Object.keys(jsonSchema)) {
      delete jsonSchema[name as keyof typeof jsonSchema]
    }
    Object.assign(jsonSchema, shown)
  },
})

/** Tidies up what is made of every schema: what a reader has no use for goes, what the converter loses comes back. */
export const tidy: ZodOpenApiOverride = ({ jsonSchema, zodSchema, io }) => {
  const { def } = zodSchema._zod
  if (def.type === 'default' && jsonSchema.default === undefined) {
    jsonSchema.default = def.defaultValue
  }
  if (jsonSchema.format === 'date-time') {
    // The format says it; the pattern is five lines long.
    delete jsonSchema.pattern
  }
  // Of a parameter it is a limit, of an answer it says nothing.
  if (io === 'output' && jsonSchema.maximum === Number.MAX_SAFE_INTEGER) {
    delete jsonSchema.maximum
  }
  delete (jsonSchema as Record<string, unknown>)['repeatable']
}
