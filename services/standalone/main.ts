import { runService } from '../../shared/run-service.js'
import { readStandaloneConfig } from './config.js'
import { start } from './start.js'

// Both services in one process: what `npm start` runs.
runService(readStandaloneConfig, start)
