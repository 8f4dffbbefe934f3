import cluster from 'node:cluster'
import { runService } from '../../shared/runtime/run-service.js'
import { readStandaloneConfig } from './config.js'
import { start } from './start.js'

// Both services, started by `npm start`: in one process, or with several that answer requests.
if (cluster.isPrimary) {
  runService(readStandaloneConfig, start)
} else {
  const { primaryAsksToClose, startWorker } = await import('./workers/worker.js')
  runService(readStandaloneConfig, startWorker, primaryAsksToClose())
}
