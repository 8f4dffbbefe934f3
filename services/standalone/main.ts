import { runService } from '../../shared/runtime/run-service.js'
import { readStandaloneConfig } from './config.js'
import { start } from './start.js'

// Both services in one process, started by `npm start`.
runService(readStandaloneConfig, start)
