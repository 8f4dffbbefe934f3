const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/**
 * `29 Sep 2025`: the same in every time zone and browser, so that server and browser render the same text.
 *
 * @param time ISO-8601, in UTC
 */
export function formatDay(time: string): string {
  const [year, month, day] = time.slice(0, 10).split('-')
  return `${Number(day)} ${months[Number(month) - 1]} ${year}`
}

const shortForm = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })

/** `18.4K` */
export const formatShort = (value: number): string => shortForm.format(value)

/** `41 seconds`, `2 minutes` */
export function formatWait(seconds: number): string {
  const [value, unit] = seconds < 90 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return `${value} ${unit}${value === 1 ? '' : 's'}`
}
