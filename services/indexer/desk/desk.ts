import { readFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import Router, { type RouterMiddleware } from '@koa/router'
import Koa, { type Context, type Next } from 'koa'
import type { JobScheduler } from '../../../shared/ports/job-scheduler.js'
import { AppError, operatorMessage } from '../../../shared/runtime/errors.js'
import type { Logger } from '../../../shared/runtime/log.js'
import { projectRoot } from '../../../shared/runtime/project-root.js'
import { pathOfTarget } from '../../../shared/text/parse-url.js'
import type { Job } from '../runner/job.js'
import { PartReader, readStatus, type StatusSource, type StatusStores } from '../status/read-status.js'
import {
  Access,
  askForToken,
  checkLoopbackHost,
  checkSameOrigin,
  isLoopback,
  isSignedIn,
  readForm,
  signIn,
  signOut,
} from './access.js'
import { actOnSkill, isSkillAction, lookUp } from './one-skill.js'
import { contentSecurityPolicy, messagePage } from './page.js'
import { actions, statusPage } from './status-page.js'

export interface DeskDeps {
  /** The URL on which the desk answers. */
  url: string
  /** The token that it asks for; null: it is open to this machine, and closed to others. */
  token: string | null
  stores: StatusStores
  source: StatusSource
  jobs: Pick<Job, 'name' | 'summary'>[]
  scheduler: Pick<JobScheduler, 'trigger'>
  /** Opens the pages of the queues at this path; null in the embedded mode. */
  openQueueBoard: ((path: string) => Promise<RouterMiddleware>) | null
  log: Logger
}

const queuesPath = '/queues'

/** The operator's desk: the state of the catalog as a page and as JSON, and buttons for the jobs. */
export function createDesk(deps: DeskDeps): RequestListener {
  const { url, token, source, log } = deps
  const access = token === null ? null : new Access(token, source.clock)
  const app = new Koa()
  app.use(async (ctx, next) => {
    ctx.set({
      'Content-Security-Policy': contentSecurityPolicy,
      'X-Content-Type-Options': 'nosniff',
      // Without a referrer browsers would send the origin of forms as null.
      'Referrer-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Cache-Control': 'no-store',
    })
    await answerErrors(ctx, next, log)
  })
  app.use(async (ctx, next) => {
    const path = pathOfTarget(ctx.req.url ?? '')
    if (path === null) {
      throw new AppError(400, 'malformed_url', 'The target of the request is not a path, such as /status.json.')
    }
    ctx.url = path
    if (isLoopback(url)) {
      checkLoopbackHost(ctx)
    } else if (access === null) {
      throw closed
    }
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      checkSameOrigin(ctx)
    }
    if (!(await sendDeskFile(ctx)) && (access === null || (await admit(ctx, access, log)))) {
      await next()
    }
  })
  app.use(pagesOf(deps).routes())
  const answer = app.callback()
  return (request, response) => void answer(request, response)
}

const closed = new AppError(
  403,
  'desk_closed',
  'The operator’s desk is closed. Set OPERATIONS_TOKEN (openssl rand -hex 24 makes one) and restart the service, or let it listen on this machine only (HOST=127.0.0.1).',
)

/** Whether the request may go on; if not, it is answered. */
async function admit(ctx: Context, access: Access, log: Logger): Promise<boolean> {
  if (ctx.method === 'POST' && ctx.path === '/sign-in') {
    const admitted = await signIn(ctx, access)
    log[admitted ? 'info' : 'warn']({ admitted }, "sign-in at the operator's desk")
    return false
  }
  if (ctx.method === 'POST' && ctx.path === '/sign-out') {
    signOut(ctx)
    return false
  }
  if (!isSignedIn(ctx, access)) {
    askForToken(ctx)
    return false
  }
  return true
}

function pagesOf({ stores, source, token, jobs, scheduler, openQueueBoard, log }: DeskDeps): Router {
  const router = new Router({ strict: true })
  router.get('/', async (ctx) => {
    const links = { queues: openQueueBoard === null ? null : `${queuesPath}/`, signOut: token !== null }
    const parts = new PartReader()
    const found = await parts.read(lookUp(stores.catalog, ctx.query['skill']))
    const status = await readStatus(source, stores, parts)
    ctx.type = 'html'
    ctx.body = statusPage(status, { jobs, links, now: source.clock(), done: ctx.query, found })
  })
  router.get('/status.json', async (ctx) => {
    ctx.body = await readStatus(source, stores)
  })
  router.post('/jobs/:name/:action', async (ctx) => {
    const { name = '', action = '' } = ctx.params
    const act = actions.get(action)
    if (act === undefined || !jobs.some((job) => job.name === name)) {
      return
    }
    log.info({ job: name, action }, "action at the operator's desk")
    await act(name, { catalog: stores.catalog, scheduler })
    ctx.status = 303
    ctx.redirect(`/?${new URLSearchParams({ action, job: name })}`)
  })
  router.post('/skills/:owner/:repo/:action', async (ctx) => {
    const { owner, repo, action = '' } = ctx.params
    if (!isSkillAction(action)) {
      return
    }
    const to = action.startsWith('rename') ? (new URLSearchParams(await readForm(ctx)).get('to') ?? '') : ''
    const deps = { catalog: stores.catalog, scheduler, jobs, now: source.clock() }
    const skill = await actOnSkill(deps, `${owner}/${repo}`, action, to)
    log.info({ skill, action }, "action at the operator's desk")
    ctx.status = 303
    ctx.redirect(`/?${new URLSearchParams({ action, skill })}`)
  })
  if (openQueueBoard !== null) {
    let board: Promise<RouterMiddleware> | null = null
    router.get(queuesPath, (ctx) => ctx.redirect(`${queuesPath}/`))
    router.get(`${queuesPath}/{*path}`, async (ctx, next) => {
      board ??= openQueueBoard(queuesPath)
      await (await board)(ctx, next)
    })
  }
  return router
}

/** Answers errors of what follows, as a page or, for programs, as a line. */
async function answerErrors(ctx: Context, next: Next, log: Logger): Promise<void> {
  try {
    await next()
    if (ctx.status === 404 && ctx.body === undefined) {
      throw new AppError(
        404,
        'not_found',
        'There is nothing here. The desk has /, /status.json, POST /jobs/<job>/<action> and POST /skills/<owner>/<repo>/<action>.',
      )
    }
  } catch (thrown) {
    const error = thrown instanceof AppError ? thrown : internal(thrown, log)
    ctx.status = error.status
    ctx.set(error.headers)
    const isPage = ctx.accepts('text', 'html') === 'html'
    ctx.type = isPage ? 'html' : 'text'
    ctx.body = isPage ? messagePage(`Error ${error.status}`, operatorMessage(error)) : `${operatorMessage(error)}\n`
  }
}

function internal(thrown: unknown, log: Logger): AppError {
  log.error({ err: thrown }, "the operator's desk could not answer")
  return new AppError(500, 'internal_error', 'The desk could not answer. The log of the service has the reason.')
}

/** The files of the desk's pages, each at the path of its name. */
const files = ['desk.css', 'desk.js']

/** Sends a file of the pages. Returns whether the path is that of one. */
async function sendDeskFile(ctx: Context): Promise<boolean> {
  const file = files.find((name) => ctx.path === `/${name}`)
  if (file === undefined) {
    return false
  }
  ctx.type = file.endsWith('.css') ? 'css' : 'js'
  ctx.body = await readFile(join(projectRoot(), 'services', 'indexer', 'desk', 'web', file), 'utf8')
  return true
}
