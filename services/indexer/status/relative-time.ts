/** Units of time with their seconds, the longest first, and the least number of them that is shown. */
const units = [
  ['years', 31_556_952, 2],
  ['months', 2_629_746, 2],
  ['d', 86_400, 1],
  ['h', 3_600, 1],
  ['min', 60, 1],
] as const

/** A duration in its largest whole unit, for people: `45 s`, `12 min`, `3 h`, `9 d`, `5 months`. */
function formatDuration(seconds: number): string {
  const [unit, length] = units.find(([, each, least]) => seconds >= each * least) ?? ['s', 1]
  return `${Math.floor(seconds / length)} ${unit}`
}

/** The time since a moment or until then: `12 min ago`, `in 3 h`. @param iso ISO-8601; any other text is returned as it is */
export function relativeTime(iso: string, now: Date): string {
  const seconds = Math.round((Date.parse(iso) - now.getTime()) / 1_000)
  if (Number.isNaN(seconds)) {
    return iso
  }
  if (seconds === 0) {
    return 'now'
  }
  return seconds < 0 ? `${formatDuration(-seconds)} ago` : `in ${formatDuration(seconds)}`
}
