import { z } from 'zod'
import { documentNames, type FieldNames } from './field-names.js'
import { type RecordType, recordTypes } from './records.js'

/** The configuration for reading documents of other applications. */
export interface DocumentSettings {
  fields: FieldNames
  /** The field in which a document's writer stores the time of writing; compared to find changed documents. */
  changedField: string
}

export const defaultDocumentSettings: DocumentSettings = { fields: documentNames, changedField: 'updatedAt' }

const names = z
  .union(
    [
      z
        .string()
        .min(1)
        .transform((name) => [name]),
      z.array(z.string().min(1)).min(1),
    ],
    { error: 'must be the name of a field, or a list of names the first of which with a value is used' },
  )
  .optional()

const namesOf = (type: RecordType) =>
  z.strictObject(Object.fromEntries(Object.keys(documentNames[type]).map((field) => [field, names]))).optional()

const NamesByType = z.strictObject(Object.fromEntries(recordTypes.map((type) => [type, namesOf(type)])))

/** Field names in the configuration: a JSON object by type and field. An omitted field keeps its names. */
export const FieldNamesText = z.string().transform((text, context): FieldNames => {
  const given = parseJson(text)
  if (given === undefined) {
    context.addIssue('is not JSON')
    return z.NEVER
  }
  const parsed = NamesByType.safeParse(given)
  if (!parsed.success) {
    for (const { path, message } of parsed.error.issues) {
      context.addIssue(path.length === 0 ? message : `${path.join('.')}: ${message}`)
    }
    return z.NEVER
  }
  return {
    skills: withDefaults('skills'),
    prompts: withDefaults('prompts'),
    organizations: withDefaults('organizations'),
  }

  function withDefaults<T extends RecordType>(type: T): FieldNames[T] {
    const overrides = Object.entries(parsed.data?.[type] ?? {}).filter(([, value]) => value !== undefined)
    return { ...documentNames[type], ...Object.fromEntries(overrides) }
  }
})

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
