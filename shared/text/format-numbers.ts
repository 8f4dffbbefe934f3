const grouped = new Intl.NumberFormat('en-US')

/** `12,345` */
export const formatNumber = (value: number): string => grouped.format(value)

/** A whole number; 0 when no time has passed. */
export const perSecond = (count: number, durationMs: number): number =>
  durationMs > 0 ? Math.round((count * 1_000) / durationMs) : 0

/** `1.2 s` */
export const formatSeconds = (durationMs: number): string => `${(durationMs / 1_000).toFixed(1)} s`

/** `28.0 MB`, in powers of 1,000 */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const unit = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${unit === 0 ? bytes : (bytes / 1_000 ** unit).toFixed(1)} ${units[unit]}`
}

/**
 * A number and its noun or participle: `1 skill`, `2,300 skills`, `1 removed`.
 *
 * @param word nouns in the plural
 */
export const formatCount = (value: number, word: string): string =>
  `${formatNumber(value)} ${value === 1 ? word.replace(/(^| )repositories$/, '$1repository').replace(plural, '') : word}`

/** The plural ending of the nouns that results count; participles (`removed`, `missing`) have none. */
const plural =
  /(?<=(?:^| )(?:change|document|download|file|id|organization|part|prompt|record|request|row|skill|star|token|topic|write))s$/

/** A job's or command's result as text: `3 added, 1 file, 28.0 MB`. Fields that are false or null are left out. */
export const formatResult = (result: Record<string, unknown>): string =>
  Object.entries(result)
    .filter(([, value]) => value !== false && value !== null)
    .map(([name, value]) => {
      const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
      if (typeof value === 'number') {
        return name.endsWith('Bytes') ? formatBytes(value) : formatCount(value, words)
      }
      return value === true ? words : `${words}: ${value}`
    })
    .join(', ')

/**
 * Texts that are more than text to the readers of a CSV file: a spreadsheet runs one that begins as a formula, and data
 * frames take words for no value. In an export an apostrophe is put before them, and before any that begins with such
 * apostrophes, so that it can be taken away again.
 */
const special =
  /^'*(?:[=+\-@＝＋－＠\t\r\n\0]|(?:\\n|null|\(null\)|nil|undefined|none|-?nan|nat|1\.#(?:ind|qnan)|<na>|#?n\/?a(?: n\/a)?)$)/i

/** A text as a cell of a CSV file. */
export const toCell = (text: string): string => (special.test(text) ? `'${text}` : text)

/** The text in a cell of a CSV file. */
export const fromCell = (cell: string): string => (cell.startsWith("'") && special.test(cell) ? cell.slice(1) : cell)

/** JSON with the members of every object in alphabetical order: equal texts for equal values. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    member !== null && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}
