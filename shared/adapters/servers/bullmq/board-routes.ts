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

const toList = <T>(one: T | T[]): T[] => (Array.isArray(one) ? one : [one])

/**
 * What Bull Board gives to a web server: its pages, and the routes of their data. Only those of GET are kept, which
 * change nothing.
 */
export class BoardRoutes implements IServerAdapter {
  readonly #router = new Router({ strict: true })
  readonly #pages = new Map<Layer, AppViewRoute>()
  readonly #data = new Map<Layer, AppControllerRoute>()
  #queues: BullBoardQueues = new Map()
  #uiConfig: UIConfig = {}
  #onError: (error: Error) => ControllerHandlerReturnType = () => ({ status: 500, body: '' })

  /** The page at a path; null: there is none. @param basePath the path of the board */
  page(path: string, basePath: string): ViewHandlerReturnType | null {
    const layer = this.#find(path)
    const page = layer === undefined ? undefined : this.#pages.get(layer)
    return page === undefined ? null : page.handler({ basePath, uiConfig: this.#uiConfig })
  }

  /** The data at a path, or the error with which it is answered; null: there is none. */
  async data(path: string, query: Record<string, unknown>): Promise<ControllerHandlerReturnType | null> {
    const layer = this.#find(path)
    const route = layer === undefined ? undefined : this.#data.get(layer)
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
