import { resolve } from 'node:path'
import { backUpFolder, restoreFolder } from '../../../../shared/adapters/open.js'
import { operatorError } from '../../../../shared/runtime/errors.js'
import { formatBytes, formatCount } from '../../../../shared/text/format-numbers.js'
import { jobs } from '../../jobs.js'
import type { CommandLine, CommonOptions } from '../command-line.js'
import { defineCommand } from '../define-command.js'

/** `backup`: copies the records into a file. */
export const backup = defineCommand<CommonOptions>({
  usage: 'backup <file>',
  summary: 'copy all records of the data folder into one file, also while a service runs',
  details: [
    'The file holds the records as of one moment, hidden ones and tombstones too, with the change log, the statistics and ' +
      'the history. The search index and the published files are made from them again. An existing file is not replaced.',
    'On servers: mongodump.',
  ],
  examples: ['backup /backups/catalog-2026-11-25.db'],
  async run(cli, _options, [file = '']) {
    const { sizeBytes, skills, format } = await backUpFolder(folderOf(cli, 'backup'), file)
    return {
      status: 0,
      result: { file: resolve(file), sizeBytes, skills, format },
      text: `${file}: ${formatCount(skills, 'skills')}, ${formatBytes(sizeBytes)}\n`,
    }
  },
})

/** `restore`: puts a backup in the place of the records. */
export const restore = defineCommand<CommonOptions>({
  usage: 'restore <file>',
  summary: 'put a backup in the place of the catalog in the data folder',
  details: [
    'The file is checked first: that it is whole, a catalog, and of no newer version. Then the old catalog.db and its log ' +
      'are moved to a folder next to it, and the old search index is deleted. A file of an older version is upgraded by the ' +
      'next start, which also builds the index: until then searches are answered with 503.',
    'It is refused while a service or another command uses the folder. Mirrors and other followers of the change feed copy ' +
      'the catalog again, since the backup lacks what they may have read.',
    'On servers: mongorestore, then rebuild.',
  ],
  examples: ['restore /backups/catalog-2026-11-25.db'],
  async run(cli, _options, [file = '']) {
    const locks = ['service', 'import', 'mirror', ...jobs.embedded.map(({ name }) => name)]
    const dataDir = folderOf(cli, 'restore')
    const { skills, format, replaced } = await restoreFolder(dataDir, file, { locks, at: cli.clock() })
    const old = replaced === null ? '' : `The old catalog is in ${replaced}: delete it when nobody needs it any more.\n`
    return {
      status: 0,
      result: { file: resolve(file), skills, format, replaced: replaced === null ? null : resolve(replaced) },
      text: `${formatCount(skills, 'skills')} restored to ${resolve(dataDir)}\n${old}The next start builds the search index.\n`,
    }
  },
})

/** @throws AppError `on_servers` */
function folderOf({ dataDir }: CommandLine, command: 'backup' | 'restore'): string {
  if (dataDir === null) {
    throw operatorError(
      'on_servers',
      command === 'backup'
        ? 'This catalog is on servers, where its database is backed up: mongodump --uri="$MONGODB_URL" --archive=<file>'
        : 'This catalog is on servers, where its database is restored: stop the indexers, mongorestore --drop ' +
            '--uri="$MONGODB_URL" --archive=<file>, start them again, then npm run catalog -- rebuild',
    )
  }
  return dataDir
}
