import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { sampleFolder } from '../support/sample-folder.js'
import { greetingEnd, nodeStart } from '../support/service-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'

describe('the end of the service', () => {
  test('a signal during the start ends it in order too, and one that npm repeats counts once', async () => {
    const env = { DATA_DIR: temporaryFolder() }
    const service = nodeStart(env)
    await service.says('"job":"sync-index"')

    service.signal('SIGTERM')

    expect(await service.ended).toBe(0)
    const again = nodeStart(env)
    await again.says(greetingEnd)
    expect((await fetch(`${again.url()}/api/v1/skills/search?q=pdf`)).status).toBe(200)

    again.signal('SIGINT')
    again.signal('SIGINT')

    expect(await again.ended).toBe(0)
    // The log is JSON lines where there is no terminal.
    const lines = again.stderr().trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(expect.objectContaining({ msg: 'service started' }))
  })

  test('a second signal during the shutdown ends it at once', async () => {
    const service = nodeStart({ DATA_DIR: await sampleFolder() })
    await service.says(greetingEnd)
    const unfinished = await unfinishedRequest(service.url())

    service.signal('SIGINT')
    await service.says('"msg":"closing"')
    await setTimeout(700) // Sooner, it would count as the signal that npm repeats.
    service.signal('SIGINT')

    expect(await service.ended).toBe(130)
    unfinished.destroy()
  })

  test('an unexpected error is logged and ends it with status 1', async () => {
    const service = nodeStart({ DATA_DIR: await sampleFolder() }, [
      '--import',
      'data:text/javascript,process.on("SIGUSR2",()=>{throw new Error("a fault")})',
    ])
    await service.says(greetingEnd)

    service.signal('SIGUSR2')

    expect(await service.ended).toBe(1)
    expect(service.stderr()).toContain('"msg":"stopped by an unexpected error"')
  })
})

/** A client that delays the shutdown: its request never ends. */
function unfinishedRequest(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  return new Promise((resolve) => {
    socket.write('GET /api/skills HTTP/1.1\r\nHost: here\r\n', () => resolve(socket))
  })
}
