import { join } from 'node:path'
import { startProcess } from '../bench/processes.js'
import { runCatalogOn } from '../support/catalog-command.js'
import { meiliKey, type ServerKind, startServer } from '../support/run-servers.js'

/** The modes that can be measured. */
export const modes = ['embedded', 'servers'] as const
export type Mode = (typeof modes)[number]

/**
 * Imports the files into a new catalog, and starts the service on it.
 *
 * @param textField the member of a record that has the text of its SKILL.md, next to the usual one
 * @param folder for its data
 * @returns the URL of the service, and the result of the import
 */
export async function openCatalog(mode: Mode, files: string[], textField: string, folder: string) {
  const env = {
    ...(mode === 'embedded' ? { DATA_DIR: join(folder, 'data') } : await startServers(folder)),
    CATALOG_MODE: mode,
    SAMPLE_CATALOG: 'off',
    PORT: '0',
    RATE_LIMIT_PER_MINUTE: '1000000',
    LOG_LEVEL: 'error',
  }
  const run = await runCatalogOn(env, ['import', ...files, '--type', 'skills', '--text-field', textField, '--json'])
  // 1: some records were rejected, as an operator may accept.
  if (run.status !== 0 && run.status !== 1) {
    throw new Error(`the import ended with ${run.status}: ${run.stderr}`)
  }
  const service = await startProcess(`dist/services/${mode === 'embedded' ? 'standalone' : 'query'}/main.js`, [], env)
  return { url: service.url, imported: run.json }
}

/** New servers, even where the environment names some: an operator's own catalog must not be written to. */
async function startServers(folder: string): Promise<Record<string, string>> {
  const start = async (kind: ServerKind) => (await startServer(kind, join(folder, kind))).url
  const redis = await start('redis')
  return {
    MONGODB_URL: `${await start('mongodb')}/relevance`,
    MEILI_URL: await start('meilisearch'),
    MEILI_KEY: meiliKey,
    REDIS_URL: redis,
    RATE_LIMIT_REDIS_URL: redis,
    EXPORT_CACHE_DIR: join(folder, 'exports'),
  }
}
