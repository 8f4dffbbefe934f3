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

/** A job's or command's result as text: `3 added, 1 file, 28.0 MB`. Fields that are `false` are left out. */
export const formatResult = (result: Record<string, unknown>): string =>
  Object.entries(result)
    .filter(([, value]) => value !== false)
    .map(([name, value]) => {
      const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
      if (typeof value === 'number') {
        return name.endsWith('Bytes') ? formatBytes(value) : formatCount(value, words)
      }
      return value === true ? words : `${words}: ${value}`
    })
    .join(', ')
