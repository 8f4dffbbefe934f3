// Preloaded into a service: notes in which files a function runs. At each SIGUSR2 it writes those that ran since the one
// before into files in NOTED_FOLDER, one for each thread.
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads'

const session = new Session()
session.connect()
await session.post('Profiler.enable')
// Calls are counted for as long as the process runs: https://chromedevtools.github.io/devtools-protocol/tot/Profiler/
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

async function note(number) {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const ran = result.filter(({ functions }) => functions.some(({ ranges }) => ranges[0].count > 0))
  const path = join(process.env.NOTED_FOLDER, `${process.pid}-${threadId}-${number}.json`)
  writeFileSync(path, JSON.stringify(ran.map(({ url }) => url)))
}

const channel = new BroadcastChannel('note')
channel.unref()
if (isMainThread) {
  let number = 0
  process.on('SIGUSR2', () => {
    number += 1
    channel.postMessage(number)
    void note(number)
  })
} else {
  channel.onmessage = ({ data }) => note(data)
}
