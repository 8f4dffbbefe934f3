import { printableLine } from '../../../../shared/text/printable.js'
import { nextText, outcomeText } from '../../status/describe.js'
import type { JobRow } from '../../status/read-status.js'
import { formatMoment } from './moments.js'
import type { Screen } from './screen.js'
import { textTable } from './text-table.js'

/** The jobs as a table, in the servers mode with the columns of the queue. */
export function jobTable(rows: JobRow[], screen: Screen, now: Date): string {
  const queued = rows.some(({ waiting }) => waiting !== null)
  const head = ['job', 'every', 'last run', 'outcome', 'last success', 'next run']
  const moment = (iso: string) => formatMoment(iso, now, screen)
  const cells = rows.map((row) => [
    row.name,
    row.everySeconds === null ? 'by hand' : `${row.everySeconds} s`,
    row.runningSince === null ? moment(row.lastRun?.startedAt ?? 'never') : `running since ${moment(row.runningSince)}`,
    row.lastRun?.error ? screen.style('red', printableLine(outcomeText(row))) : printableLine(outcomeText(row)),
    moment(row.lastRun?.lastSucceededAt ?? '-'),
    moment(nextText(row)),
    ...(queued ? [String(row.waiting ?? '-'), String(row.failed ?? '-')] : []),
  ])
  return textTable([[...head, ...(queued ? ['waiting', 'failed'] : [])], ...cells], screen, head.indexOf('outcome'))
}
