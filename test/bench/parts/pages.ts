import { type Browser, chromium } from 'playwright-core'
import { chromiumPath } from '../../support/on-path.js'
import { makeSeeded, startLoggingService } from '../embedded-catalog.js'
import { sampleOf } from '../record-sets.js'
import { type Measure, median, type Part, row } from '../report.js'

const runs = 5

/** A phone on a slow mobile network, as Lighthouse simulates it. */
const viewport = { width: 390, height: 844 }
const network = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 }
const processorSlowdown = 4

/** The first paint of each kind of page, in a browser with nothing in its cache. */
export const pages: Part = {
  name: 'pages',
  summary: 'first content of a page, at 1.6 Mbit/s and 150 ms, with a processor four times as slow',
  async measure(folder) {
    if (chromiumPath === null) {
      row('left out', 'Chromium', 'it is not on the path')
      return []
    }
    const [skill] = await sampleOf(await makeSeeded(10_000, folder))
    const paths = ['/', '/?q=pdf', `/skills/${skill?.id}`, '/statistics', '/dataset']
    const service = await startLoggingService(folder)
    const browser = await chromium.launch({ executablePath: chromiumPath, chromiumSandbox: false })
    const measures: Measure[] = []
    for (const path of paths) {
      const times: number[] = []
      for (let run = 0; run < runs; run += 1) {
        times.push(await firstPaintMs(browser, `${service.url}${path}`))
      }
      measures.push({
        name: path.startsWith('/skills/') ? 'a skill' : path,
        value: median(times) / 1_000,
        unit: 's',
        aim: { atMost: 1.5 },
        detail: `${times.map(Math.round).join(', ')} ms`,
      })
    }
    await browser.close()
    await service.stop()
    return measures
  },
}

async function firstPaintMs(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext({ viewport })
  try {
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', network)
    await session.send('Emulation.setCPUThrottlingRate', { rate: processorSlowdown })
    await page.goto(url, { waitUntil: 'load' })
    return await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          new PerformanceObserver((list) =>
            resolve(list.getEntries()[0]?.startTime ?? Number.POSITIVE_INFINITY),
          ).observe({ type: 'paint', buffered: true })
        }),
    )
  } finally {
    await context.close()
  }
}
