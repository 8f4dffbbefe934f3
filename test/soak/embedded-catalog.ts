import { join } from 'node:path'
import { freePort } from '../support/local-server.js'
import { Service } from './service.js'
import { commonSettings, type SoakCatalog } from './soak-catalog.js'
import type { SoakLog } from './soak-log.js'
import { StoreWriter } from './store-writer.js'

/** Starts a catalog in one folder. */
export async function startEmbedded(folder: string, log: SoakLog): Promise<SoakCatalog> {
  const port = await freePort()
  const env = {
    ...commonSettings,
    CATALOG_MODE: 'embedded',
    DATA_DIR: join(folder, 'data'),
    SAMPLE_CATALOG: 'off',
    PORT: String(port),
  }
  const service = new Service({ name: 'service', path: 'dist/services/standalone/main.js', env, folder, log })
  await service.start()
  const store = new StoreWriter(env)
  return {
    env,
    folder,
    url: `http://127.0.0.1:${port}`,
    services: [service],
    api: service,
    writers: { store },
    strikeServer: ({ target }) => Promise.reject(new Error(`there is no ${target}`)),
    close: async () => {
      store.close()
      await service.close()
    },
  }
}
