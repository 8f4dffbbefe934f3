import type { PlannedFault } from './plan-faults.js'
import type { Service } from './service.js'
import type { Writers } from './writers.js'

/** A catalog, in either mode, with all that it stands on. */
export interface SoakCatalog {
  /** Names it, for commands and services. */
  env: Record<string, string>
  /** For files of the soak. */
  folder: string
  /** Where the API answers. */
  url: string
  /** By the names that faults have for them. */
  services: Service[]
  /** The one that answers the API. */
  api: Service
  writers: Writers
  /** What strikes servers, resolves when they are back. */
  strikeServer(fault: PlannedFault): Promise<void>
  close(): Promise<void>
}

/** Settings of the services, in either mode: nothing is refused for its number, and the files are often new. */
export const commonSettings = {
  HOST: '127.0.0.1',
  RATE_LIMIT_PER_MINUTE: '1000000',
  EXPORT_RATE_LIMIT_PER_MINUTE: '1000000',
  EXPORT_EVERY_SECONDS: '10',
  NODE_OPTIONS: '',
}
