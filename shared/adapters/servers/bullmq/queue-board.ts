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
  ViewHandlerReturnType,
} from '@bull-board/api/typings/app'
import Router, { type Layer } from '@koa/router'
import { Queue } from 'bullmq'
import type { BoardAnswer, QueueBoard } from '../../../ports/job-scheduler.js'
import { connectRedis, type RedisClient } from '../redis/connect.js'
import { prefixFor } from './job-queue.js'

/** Timeout of a command. */
const commandTimeoutMs = 5_000

export interface BullBoardOptions {
  redisUrl: string
  /** Names of the jobs, which are those of their queues. */
  jobs: string[]
  /** The path of the board, without a slash at its end. */
  path: string
}

/** Bull Board for the queues of the jobs, read-only: jobs are run, paused and resumed by the operator's desk. */
export class BullQueueBoard implements QueueBoard {
  readonly #path: string
  readonly #connection: RedisClient
  readonly #queues: Queue[]
  readonly #routes = new BoardRoutes()
  readonly #folder = dirname(createRequire(import.meta.url).resolve('@bull-board/ui/package.json'))
  /** Paths of the files of its pages, below the folder `dist`. */
  readonly #files: Set<string>

  constructor({ redisUrl, jobs, path }: BullBoardOptions) {
    this.#path = path
    this.#connection = connectRedis(redisUrl, { maxRetriesPerRequest: 1, commandTimeout: commandTimeoutMs })
    // The scheduler logs outages.
    this.#connection.on('error', () => undefined)
    this.#queues = jobs.map((name) => {
      const options = { connection: this.#connection, prefix: prefixFor(redisUrl), skipWaitingForReady: true }
      const queue = new Queue(name, { ...options, skipVersionCheck: true })
      queue.on('error', () => undefined)
      return queue
    })
    createBullBoard({
      queues: this.#queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true })),
      serverAdapter: this.#routes,
      options: {
        uiBasePath: this.#folder,
        uiConfig: {
          boardTitle: 'Job queues',
          hideDocsLink: true,
          miscLinks: [{ text: 'Operator’s desk', url: '/' }],
        },
      },
    })
    const below = readdirSync(join(this.#folder, 'dist', 'static'), { recursive: true, encoding: 'utf8' })
    this.#files = new Set(below.filter((file) => extname(file) !== '').map((file) => `/static/${file}`))
  }

  async answer(path: string, query: Record<string, unknown>): Promise<BoardAnswer | null> {
    if (this.#files.has(path)) {
      return { status: 200, type: extname(path), body: await readFile(join(this.#folder, 'dist', path)) }
    }
    const page = this.#routes.page(path, this.#path)
    if (page !== null) {
      const template = await readFile(join(this.#folder, 'dist', page.name), 'utf8')
      return { status: 200, type: 'html', body: fillIn(template, page.params) }
    }
    const data = await this.#routes.data(path, query)
    return data === null ? null : { status: data.status ?? 200, type: 'json', body: JSON.stringify(data.body) }
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#queues.map((queue) => queue.close()))
    this.#connection.disconnect()
  }
}

/** Fills in Bull Board's one template, whose values are its own: `<%= title %>`, `<%- uiConfig %>`. */
const fillIn = (template: string, values: Record<string, string>): string =>
  template.replace(/<%[=-] (\w+) %>/g, (_, name) => values[name] ?? '')

const toList = <T>(one: T | T[]): T[] => (Array.isArray(one) ? one : [one])

/**
 * What Bull Board gives to a web server: its pages, and the routes of their data. Only those of GET are kept, which
 * change nothing.
 */
class BoardRoutes implements IServerAdapter {
  readonly #router = new Router({ strict: true })
  readonly #pages = new Map<Layer | undefined, AppViewRoute>()
  readonly #data = new Map<Layer | undefined, AppControllerRoute>()
  #queues: BullBoardQueues = new Map()
  #uiConfig: UIConfig = {}
  #onError: (error: Error) => ControllerHandlerReturnType = () => ({ status: 500, body: '' })

  /** The page at a path; null: there is none. @param basePath the path of the board */
  page(path: string, basePath: string): ViewHandlerReturnType | null {
    return this.#pages.get(this.#find(path))?.handler({ basePath, uiConfig: this.#uiConfig }) ?? null
  }

  /** The data at a path, or the error with which it is answered; null: there is none. */
  async data(path: string, query: Record<string, unknown>): Promise<ControllerHandlerReturnType | null> {
    const layer = this.#find(path)
    const route = this.#data.get(layer)
    if (layer === undefined || route === undefined) {
      return null
    }
    const params = layer.params(path, layer.captures(path))
    try {
      const request = { queues: this.#queues, uiConfig: this.#uiConfig, query, params, body: {}, headers: {} }
      return await route.handler(request)
    } catch (error) {
      return this.#onError(error instanceof Error ? error : new Error(String(error)))
    }
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

  setEntryRoute(page: AppViewRoute): this {
    for (const path of toList(page.route)) {
      this.#pages.set(this.#register(path), page)
    }
    return this
  }

  setApiRoutes(routes: AppControllerRoute[]): this {
    for (const route of routes.filter(({ method }) => toList(method).includes('get'))) {
      for (const path of toList(route.route)) {
        this.#data.set(this.#register(path), route)
      }
    }
    return this
  }

  setViewsPath(): this {
    return this
  }

  setStaticPath(): this {
    return this
  }

  #register(path: string): Layer {
    return this.#router.register(path, ['GET'], () => undefined) as Layer
  }

  #find(path: string): Layer | undefined {
    return this.#router.match(path, 'GET').path[0]
  }
}
