import { z } from 'zod'
import { documentNames, type FieldNames } from './field-names.js'
import { byType, type RecordType, recordTypes } from './records.js'

/** The configuration for reading documents of other applications. */
export interface DocumentSettings {
  fields: FieldNames
  /** The field, or the path to it, in which a document's writer stores the time of writing: changed documents differ. */
  changedField: string
  /** `SKILL_URL_TEMPLATE`, see `addressOf`; absent: none. */
  urlTemplate?: string
}

export const defaultDocumentSettings: DocumentSettings = { fields: documentNames, changedField: 'updatedAt' }

/** The member of documents in which earlier versions kept the metadata of the catalog: it is no field. */
export const metadataField = '_catalog'

/**
 * Why MongoDB, or the reader of its documents, cannot have a field of this name; null: it can.
 *
 * @see https://www.mongodb.com/docs/manual/core/dot-dollar-considerations/
 */
function faultOf(name: string): string | null {
  const shown = JSON.stringify(name)
  if (name === '') {
    return 'has an empty name'
  }
  if (name.startsWith('$')) {
    return `names ${shown}, which begins with $`
  }
  if (name.includes('\0')) {
    return `names ${shown}, which contains a NUL`
  }
  return name === metadataField || name in {} ? `names ${shown}, which is reserved` : null
}

/** A field at the top level of a document: a query would read a name with a dot as a path. */
const FieldName = z.string().superRefine((name, context) => {
  const fault = faultOf(name) ?? (name.includes('.') ? `names ${JSON.stringify(name)}, which contains a dot` : null)
  if (fault !== null) {
    context.addIssue({ code: 'custom', message: `${fault}: a field is named as at the top level of the documents` })
  }
})

/** The changed-field in the configuration: a name, or names joined by dots. */
export const ChangedFieldText = z.string().superRefine((path, context) => {
  const fault = path
    .split('.')
    .map(faultOf)
    .find((each) => each !== null)
  if (fault !== undefined) {
    context.addIssue({
      code: 'custom',
      message: `${fault}: must be the name of a field, or a path such as meta.updatedAt`,
    })
  }
})

/** The value of the changed-field in a document; undefined: it has none. */
export function changedValue(
  document: Record<string, unknown>,
  { changedField }: Pick<DocumentSettings, 'changedField'>,
) {
  return changedField
    .split('.')
    .reduce<unknown>(
      (value, name) => (value instanceof Object && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined),
      document,
    )
}

const names = z
  .preprocess(
    (given) => (typeof given === 'string' ? [given] : given),
    z
      .array(FieldName, {
        error: 'must be the name of a field, or a list of names the first of which with a value is used',
      })
      .min(1, 'must have a name'),
  )
  .optional()

const namesOf = (type: RecordType) =>
  z.strictObject(Object.fromEntries(Object.keys(documentNames[type]).map((field) => [field, names]))).optional()

const NamesByType = z.strictObject(Object.fromEntries(recordTypes.map((type) => [type, namesOf(type)])))

/** Field names in the configuration: a JSON object by type and field. An omitted field keeps its names. */
export const FieldNamesText = z.string().transform((text, context): FieldNames => {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
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
  return byType((type) => {
    const overrides = Object.entries(parsed.data[type] ?? {}).filter(([, value]) => value !== undefined)
    return { ...documentNames[type], ...Object.fromEntries(overrides) }
  }) as FieldNames
})
