const grouped = new Intl.NumberFormat('en-US')

/** `12,345` */
export const figure = (value: number): string => grouped.format(value)

/** How many a second, a whole number; 0 for no time. */
export const perSecond = (count: number, durationMs: number): number =>
  durationMs > 0 ? Math.round((count * 1_000) / durationMs) : 0

/** `1.2 s` */
export const seconds = (durationMs: number): string => `${(durationMs / 1_000).toFixed(1)} s`

/** `28.0 MB`, in powers of 1,000 */
export function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const unit = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${unit === 0 ? bytes : (bytes / 1_000 ** unit).toFixed(1)} ${units[unit]}`
}

/**
 * A number with the word for what it counts: `1 skill`, `2,300 skills`, `1 removed`.
 *
 * @param word in the plural, if it has one
 */
export const counted = (value: number, word: string): string =>
  `${figure(value)} ${value === 1 ? word.replace(plural, '') : word}`

/** The end of every noun that something is counted in; the other words (`removed`, `missing`) have no plural. */
const plural = /(?<=(?:^| )(?:document|file|organization|part|prompt|record|row|skill|star|topic|write))s$/

/** A result in words: `3 added, 1 file, 28.0 MB`. What is `false` is left out. */
export const inWords = (result: Record<string, unknown>): string =>
  Object.entries(result)
    .filter(([, value]) => value !== false)
    .map(([name, value]) => {
      const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
      if (typeof value === 'number') {
        return name.endsWith('Bytes') ? size(value) : counted(value, words)
      }
      return value === true ? words : `${words}: ${value}`
    })
    .join(', ')
