import { nodeStart, started } from './service-process.js'
import { copyPrepared, temporaryFolder } from './temporary-folder.js'

/** A new data folder, as a first start of the service and its end leave it: with the sample, its index and its files. */
export async function sampleFolder(): Promise<string> {
  const folder = temporaryFolder()
  await copyPrepared(
    'service',
    async (made) => {
      const service = nodeStart({ DATA_DIR: made })
      await started(service)
      service.signal('SIGTERM')
      await service.ended
    },
    folder,
  )
  return folder
}
