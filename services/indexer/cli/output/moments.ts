import type { Screen } from './screen.js'

/** Units of time with their seconds, the longest first. */
const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const

/** A duration in its largest whole unit, for people: `45 s`, `12 min`, `3 h`, `9 d`. */
function formatDuration(seconds: number): string {
  const [unit, length] = units.find(([, each]) => seconds >= each) ?? ['s', 1]
  return `${length === 1 && seconds < 10 ? Math.round(seconds * 10) / 10 : Math.floor(seconds / length)} ${unit}`
}

/** A moment on a terminal as the time since then or until then, `12 min ago`; elsewhere as it is, ISO-8601. */
export function formatMoment(iso: string, now: Date, { columns }: Pick<Screen, 'columns'>): string {
  const seconds = Math.round((Date.parse(iso) - now.getTime()) / 1_000)
  if (columns === null || Number.isNaN(seconds)) {
    return iso
  }
  if (seconds === 0) {
    return 'now'
  }
  return seconds < 0 ? `${formatDuration(-seconds)} ago` : `in ${formatDuration(seconds)}`
}
