/**
 * What a value of a foreign record reads as. `String` alone throws for an object whose member `toString` is no function,
 * and a record from JSON or from a database may well have one.
 */
export function inText(value: unknown): string {
  try {
    return String(value)
  } catch {
    return JSON.stringify(value)
  }
}
