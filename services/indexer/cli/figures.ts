const grouped = new Intl.NumberFormat('en-US')

/** `12,345` */
export const figure = (value: number): string => grouped.format(value)

/** How many a second, a whole number; 0 for no time. */
export const perSecond = (count: number, durationMs: number): number =>
  durationMs > 0 ? Math.round((count * 1_000) / durationMs) : 0

/** `1.2 s` */
export const seconds = (durationMs: number): string => `${(durationMs / 1_000).toFixed(1)} s`

/** Counts in words: `3 added, 2 changed`. */
export const inWords = (counts: Record<string, unknown>): string =>
  Object.entries(counts)
    .map(([name, value]) => {
      const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
      return typeof value === 'number' ? `${figure(value)} ${words}` : `${words}: ${value}`
    })
    .join(', ')
