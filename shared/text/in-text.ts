/**
 * A foreign value as text. `String` alone throws for an object whose member `toString` is no function, and a record
 * from JSON or a database may have one.
 */
export function inText(value: unknown): string {
  try {
    return String(value)
  } catch {
    return JSON.stringify(value)
  }
}
