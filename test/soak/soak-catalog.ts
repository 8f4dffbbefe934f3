import type { PlannedFault } from './planned-fault.js'
import type { Service } from './service.js'
import type { Writers } from './writers.js'

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
  writers: Writers
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
