import { factsOf, type Piece } from '../../status/describe.js'
import type { CatalogStatus } from '../../status/read-status.js'
import { jobTable } from './job-table.js'
import { formatMoment } from './moments.js'
import { indented, type Screen } from './screen.js'

const labelColumns = 14

/** The state of a catalog, for people. @param place the data folder, or the servers */
export function statusText(status: CatalogStatus, place: string, screen: Screen, now: Date): string {
  const shown = (piece: Piece): string => {
    if (typeof piece === 'string') {
      return piece
    }
    if ('at' in piece) {
      return formatMoment(piece.at ?? 'never', now, screen)
    }
    return 'bad' in piece ? screen.style('red', piece.bad) : screen.style('yellow', piece.late)
  }
  const lines = [{ label: 'catalog', text: [place] }, ...factsOf(status, now)].map(
    ({ label, text }) =>
      screen.style('bold', label.length < labelColumns ? label.padEnd(labelColumns) : `${label}: `) +
      indented(text.map(shown).join(''), labelColumns, screen).slice(labelColumns),
  )
  return `${lines.join('\n')}\n\n${jobTable(status.jobs, screen, now)}\n`
}
