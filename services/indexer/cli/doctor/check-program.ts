import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { misspelledText } from '../../../../shared/runtime/env.js'
import { AppError } from '../../../../shared/runtime/errors.js'
import { projectRoot } from '../../../../shared/runtime/project-root.js'
import type { CommandLine } from '../command-line.js'
import { type Check, finding, fine, isAtLeast } from './check.js'

/** Checks the version of Node against the one that `package.json` requires. */
export function checkNode(version = process.versions.node): Check {
  const { engines } = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8'))
  const least = String(engines.node).replace('>=', '')
  return isAtLeast(version, least)
    ? fine('Node.js', `${version}, and ${least} or newer is needed`)
    : finding('Node.js', `${version} is too old`, `Install Node.js ${least} or newer.`)
}

/** Checks the settings of all services: one finding for each bad variable. */
export function checkConfiguration(cli: CommandLine): Check[] {
  try {
    cli.checkConfig()
    if (cli.misspelled.length > 0) {
      return cli.misspelled.map((misspelled) =>
        finding(
          'environment',
          misspelledText(misspelled),
          `Set ${misspelled.meant} instead, or unset ${misspelled.name}.`,
        ),
      )
    }
    return [fine('configuration', cli.servers === null ? 'valid, embedded mode' : 'valid, servers mode')]
  } catch (error) {
    if (!(error instanceof AppError) || error.errors === undefined) {
      throw error
    }
    return error.errors.map(({ parameter, message }) =>
      finding(
        'configuration',
        `${parameter}: ${message}`,
        `Correct the environment variable ${parameter}, or unset it.`,
      ),
    )
  }
}
