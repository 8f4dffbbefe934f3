import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import type {
  AppControllerRoute,
  AppViewRoute,
  BullBoardQueues,
  ControllerHandlerReturnType,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/typings/app'
import Router, { type RouterContext, type RouterMiddleware } from '@koa/router'
import { Queue } from 'bullmq'
import { connectRedis } from '../redis/connect.js'
import { prefixFor } from './job-queue.js'

const commandTimeoutMs = 5_000

/** The pages that show the queues. */
export interface QueueBoard {
  /** Answers requests below its path by GET. */
  answer: RouterMiddleware
  close(): Promise<void>
}

/**
 * Opens Bull Board for the queues of the jobs, read-only: jobs are run, paused and resumed by the operator's desk.
 *
 * @param jobs names of the jobs, which are those of their queues
 * @param path the path of the board, without a slash at its end
 */
export function openBullBoard(redisUrl: string, jobs: string[], path: string): QueueBoard {
  const connection = connectRedis(redisUrl, { maxRetriesPerRequest: 1, commandTimeout: commandTimeoutMs })
  // The scheduler logs outages.
  connection.on('error', () => undefined)
  const queues = jobs.map((name) => {
    const options = { connection, prefix: prefixFor(redisUrl), skipWaitingForReady: true, skipVersionCheck: true }
    const queue = new Queue(name, options)
    queue.on('error', () => undefined)
    return queue
  })
  const routes = new BoardRoutes(path)
  createBullBoard({
    queues: queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true })),
    serverAdapter: routes,
    options: {
      uiBasePath: dirname(createRequire(import.meta.url).resolve('@bull-board/ui/package.json')),
      uiConfig: {
        boardTitle: 'Job queues',
        hideDocsLink: true,
        miscLinks: [{ text: 'Operator’s desk', url: '/' }],
      },
    },
  })
  return {
    answer: routes.router.routes(),
    close: async () => {
      await Promise.allSettled(queues.map((queue) => queue.close()))
      connection.disconnect()
    },
  }
}

/** Fills in Bull Board's one template, whose values are its own: `<%= title %>`, `<%- uiConfig %>`. */
const fillIn = (template: string, values: Record<string, string>): string =>
  template.replace(/<%[=-] (\w+) %>/g, (_, name) => values[name] ?? '')

/**
 * What Bull Board gives to a web server: its pages and files, and the routes of their data. Only those of GET are kept,
 * which change nothing.
 */
class BoardRoutes implements IServerAdapter {
  readonly router: Router
  readonly #path: string
  #queues: BullBoardQueues = new Map()
  #uiConfig: UIConfig = {}
  #views = ''
  #onError: (error: Error) => ControllerHandlerReturnType = () => ({ status: 500, body: '' })

  constructor(path: string) {
    this.router = new Router({ prefix: path, strict: true })
    this.#path = path
  }

  setQueues(queues: BullBoardQueues): this {
    this.#queues = queues
    return this
  }

  setUIConfig(config: UIConfig): this {
    this.#uiConfig = config
    return this
  }

  setErrorHandler(handler: (error: Error) => ControllerHandlerReturnType): this {
    this.#onError = handler
    return this
  }

  setViewsPath(folder: string): this {
    this.#views = folder
    return this
  }

  setStaticPath(route: string, folder: string): this {
    const below = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => extname(file) !== '')
    const files = new Map(below.map((file) => [`${this.#path}${route}/${file}`, join(folder, file)]))
    this.router.get(`${route}/{*file}`, async (ctx) => {
      const file = files.get(ctx.path)
      if (file !== undefined) {
        ctx.type = extname(file)
        ctx.body = await readFile(file)
      }
    })
    return this
  }

  setEntryRoute(page: AppViewRoute): this {
    this.router.get(page.route, async (ctx) => {
      const { name, params } = page.handler({ basePath: this.#path, uiConfig: this.#uiConfig })
      ctx.type = 'html'
      ctx.body = fillIn(await readFile(join(this.#views, name), 'utf8'), params)
    })
    return this
  }

  setApiRoutes(routes: AppControllerRoute[]): this {
    for (const { route, handler } of routes.filter(({ method }) => [method].flat().includes('get'))) {
      this.router.get(route, async (ctx) => {
        const { status = 200, body } = await this.#dataOf(handler, ctx)
        ctx.status = status
        ctx.type = 'json'
        ctx.body = JSON.stringify(body)
      })
    }
    return this
  }

  async #dataOf(handler: AppControllerRoute['handler'], { query, params }: RouterContext) {
    try {
      const board = { queues: this.#queues, uiConfig: this.#uiConfig }
      return await handler({ ...board, query, params, body: {}, headers: {} })
    } catch (error) {
      return this.#onError(error instanceof Error ? error : new Error(String(error)))
    }
  }
}
