import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Catalog } from '../../shared/ports/catalog.js'
import { type RecordType, recordTypes } from '../../shared/records/records.js'
import { operatorError } from '../../shared/runtime/errors.js'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { stateKeys } from '../../shared/state-keys.js'
import type { TextMode } from '../../shared/text/skill-text.js'
import { type AcceptedRecord, mapRecord } from '../indexer/import/map-record.js'

/**
 * Loads the project's sample into a catalog that was created to get it, in an empty folder. A load that was interrupted is
 * completed. A catalog without records in a folder that had one is no place for records that were made up.
 *
 * @param textMode `off`: without the texts of skills; they are the project's own and need no cleaning
 * @returns whether it was loaded
 */
export async function loadSample(catalog: Catalog, textMode: TextMode = 'cleaned'): Promise<boolean> {
  const state = await catalog.readState<{ loaded: boolean }>(stateKeys.sample)
  if (state === null || state.loaded) {
    return false
  }
  for (const type of recordTypes) {
    const sample = await readSample(type)
    await catalog.put(
      type,
      sample.map(({ record }) => record),
    )
    const texts = sample.flatMap(({ id, content }) => (content === undefined ? [] : [{ id, ...content }]))
    await catalog.keepContents(textMode === 'off' ? [] : texts)
  }
  await catalog.writeState(stateKeys.sample, { loaded: true })
  return true
}

async function readSample<T extends RecordType>(type: T): Promise<AcceptedRecord<T>[]> {
  const path = join(projectRoot(), 'infra', 'sample', `${type}.ndjson`)
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '')
  return lines.map((line, place) => {
    const mapped = mapRecord(type, JSON.parse(line))
    if ('reason' in mapped) {
      throw operatorError(
        'bad_sample',
        `${path}, line ${place + 1}: ${mapped.reason}. Restore the file from the project.`,
      )
    }
    return mapped
  })
}
