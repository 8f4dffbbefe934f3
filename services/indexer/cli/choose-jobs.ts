import { operatorError } from '../../../shared/errors.js'
import type { CommandLine } from './command-line.js'

/**
 * The names of jobs that a command was given, in the order of the table; all of them when it was given none.
 *
 * @throws AppError `bad_arguments` that lists the names there are
 */
export function chooseJobs({ schedules }: CommandLine, names: string[]): string[] {
  const known = schedules.map(({ name }) => name)
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    throw operatorError('bad_arguments', `There is no job ${unknown.join(', ')}. The jobs are ${known.join(', ')}.`)
  }
  return names.length === 0 ? known : known.filter((name) => names.includes(name))
}
