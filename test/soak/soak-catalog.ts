import { join } from 'node:path'
import type { CrashPoint } from '../faults/support/crash-points.mjs'
import { freePort } from '../support/local-server.js'
import { Service } from './service.js'
import type { SoakLog } from './soak-log.js'
import { type SkillWriter, StoreWriter } from './writers.js'

/** Something that strikes, and is over after a while. */
export interface PlannedFault {
  /** Milliseconds from the beginning of its round. */
  atMs: number
  kind:
    | 'kill'
    | 'freeze'
    | 'crash'
    | 'run'
    | 'run-killed'
    | 'run-crashed'
    | 'import-broken'
    | 'restart'
    | 'flush'
    | 'cut'
    | 'refuse'
  /** A service, a server, a command, or a broken source. */
  target: string
  /** How long it lasts, or after what time it strikes. */
  forMs: number
  /** Where a process is killed. */
  point: CrashPoint | null
}

/** A catalog of either mode, with its services and writers. */
export interface SoakCatalog {
  /** The configuration for commands and services. */
  env: Record<string, string>
  /** For files of the soak. */
  folder: string
  /** Of the API. */
  url: string
  /** Faults refer to them by name. */
  services: Service[]
  /** The service with the API. */
  api: Service
  writers: { store: SkillWriter; crawler?: SkillWriter }
  /** Injects a fault of a server; resolves when the server is available again. */
  strikeServer(fault: PlannedFault): Promise<void>
  close(): Promise<void>
}

/** Settings for both modes: no rate limits, and frequent export files. */
export const commonSettings = {
  HOST: '127.0.0.1',
  RATE_LIMIT_PER_MINUTE: '1000000',
  EXPORT_RATE_LIMIT_PER_MINUTE: '1000000',
  EXPORT_EVERY_SECONDS: '10',
  NODE_OPTIONS: '',
}

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
      await service.end()
    },
  }
}
