import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSharedConfig } from '../../../../shared/runtime/config.js'
import { misspelledSettings, misspelledText, readGroups } from '../../../../shared/runtime/env.js'
import { AppError } from '../../../../shared/runtime/errors.js'
import { readOperationsConfig } from '../../../../shared/runtime/operations.js'
import { projectRoot } from '../../../../shared/runtime/project-root.js'
import { readQueryConfig } from '../../../../shared/runtime/query-config.js'
import { readIndexerConfig } from '../../config.js'
import type { Fact } from '../../status/describe.js'

/** For what cannot be checked. */
export const correctFirst = 'Correct the findings above, then run this command again.'

/** The result of one check. */
export interface Check {
  /** The checked part, for instance `data folder`. */
  name: string
  /** `finding`: the operator should do something; `unchecked`: it could not be checked. */
  state: 'fine' | 'finding' | 'unchecked'
  /** What was found. */
  detail: string
  /** What to do; null where there is nothing to do. */
  remedy: string | null
}

export const fine = (name: string, detail: string): Check => ({ name, state: 'fine', detail, remedy: null })

export const finding = (name: string, detail: string, remedy: string): Check => ({
  name,
  state: 'finding',
  detail,
  remedy,
})

/** @param remedy what makes the check possible */
export const unchecked = (name: string, detail: string, remedy: string): Check => ({
  name,
  state: 'unchecked',
  detail,
  remedy,
})

/** A fact of the status as a check. */
export function checkFact({ label, text, remedy }: Fact): Check {
  const words = text.map((piece) => (typeof piece === 'string' ? piece : (Object.values(piece)[0] ?? 'never')))
  const detail = words.join('').replaceAll('\n', '; ')
  if (remedy !== null) {
    return finding(label, detail, remedy)
  }
  const isUnknown = text.some((piece) => typeof piece === 'object' && 'bad' in piece)
  return isUnknown ? unchecked(label, detail, correctFirst) : fine(label, detail)
}

/** Checks of the place of a catalog, and whether the catalog can be read; `absent`: there is none yet. */
export interface PlaceChecks {
  checks: Check[]
  catalog: 'readable' | 'unreadable' | 'absent'
}

/** Whether a version is at least another one; only their numbers count: `v1.50.0`, `8.0`. */
export function isAtLeast(version: string, least: string): boolean {
  const [numbers, needed] = [version, least].map((text) => text.match(/\d+/g)?.map(Number) ?? [])
  const place = needed?.findIndex((number, index) => (numbers?.[index] ?? 0) !== number) ?? -1
  return place === -1 || (numbers?.[place] ?? 0) > (needed?.[place] ?? 0)
}

/** Checks the version of Node against the one that `package.json` requires. */
export function checkNode(version = process.versions.node): Check {
  const { engines } = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8'))
  const least = String(engines.node).replace('>=', '')
  return isAtLeast(version, least)
    ? fine('Node.js', `${version}, and ${least} or newer is needed`)
    : finding('Node.js', `${version} is too old`, `Install Node.js ${least} or newer.`)
}

/** Checks the settings of all services and of the commands: one finding for each bad variable. */
export function checkConfiguration(env: NodeJS.ProcessEnv): Check[] {
  try {
    const { shared } = readGroups(
      {
        shared: readSharedConfig,
        indexer: readIndexerConfig,
        query: readQueryConfig,
        operations: readOperationsConfig,
      },
      env,
    )
    const misspelled = misspelledSettings(env)
    return misspelled.length === 0
      ? [fine('configuration', `valid, ${shared.mode} mode`)]
      : misspelled.map((each) =>
          finding('environment', misspelledText(each), `Set ${each.meant} instead, or unset ${each.name}.`),
        )
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
