import { relativeTime } from '../../status/describe.js'
import type { Screen } from './screen.js'

/** A moment on a terminal as the time since then or until then, `12 min ago`; elsewhere as it is, ISO-8601. */
export const formatMoment = (iso: string, now: Date, { columns }: Pick<Screen, 'columns'>): string =>
  columns === null ? iso : relativeTime(iso, now)
