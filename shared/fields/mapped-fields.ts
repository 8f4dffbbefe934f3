/** The fields of a record as its input has them. What the input lacks is null; the schema decides whether it may be. */
export interface MappedFields {
  /** The record's identity; null when the input does not say which record it is. */
  id: string | null
  /** The id of a prompt by its title alone, where its id is made from more; absent for all other records. */
  titleId?: string
  fields: Record<string, unknown>
}
