import type { Command } from 'commander'
import { operatorError } from '../../../shared/runtime/errors.js'
import { jobs } from '../jobs.js'
import type { CommandLine } from './command-line.js'

/**
 * The jobs named on the command line, in the order of the job list; all jobs when none is named.
 *
 * @throws AppError `bad_arguments` that lists the valid names
 */
export function chooseJobs({ schedules }: CommandLine, names: string[]): string[] {
  const known = schedules.map(({ name }) => name)
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    throw operatorError('bad_arguments', `There is no job ${unknown.join(', ')}. The jobs are ${known.join(', ')}.`)
  }
  return names.length === 0 ? known : known.filter((name) => names.includes(name))
}

/** Lists the jobs for the completion of a command's operands. `chooseJobs` checks them: each mode has jobs of its own. */
export function withJobNames(command: Command): Command {
  for (const argument of command.registeredArguments) {
    argument.argChoices = jobs.servers.map(({ name }) => name)
  }
  return command
}
