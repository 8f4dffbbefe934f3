import { hash } from 'node:crypto'
import { knownPairs } from '../http/parse-query.js'
import type { RequestContext } from '../middleware/state.js'
import type { Problem } from '../problems/problem.js'
import { explainProblem } from '../web/text/explain-problem.js'
import { builtText } from './built-files.js'
import { contentPolicy, renderPage } from './render-page.js'

const styles = builtText('styles/pages.css')

/** An error as a page has its styles in itself: nothing else may be admitted, or be reachable, at that moment. */
export const problemPageHeaders = {
  'Content-Security-Policy': contentPolicy(`'sha256-${hash('sha256', styles, 'base64')}'`),
}

/** An error as a page, for people. @param headers those of the answer */
export function problemPage(ctx: RequestContext, problem: Problem, headers: Record<string, string>): string {
  const { status, code, requestId, instance, errors = [], suggestions = [] } = problem
  const refused = errors.map(({ parameter }) => parameter)
  const { title, text } = explainProblem(status, code, {
    refused,
    name: Object.values(ctx.state.found?.segments ?? {}).join('/'),
  })
  return renderPage({
    title: `${title} – Skill Catalog`,
    description: text,
    path: instance,
    inlineStyles: styles,
    shown: {
      view: 'problem',
      data: {
        status,
        title,
        text,
        requestId,
        links: linksOf(ctx, code, refused, headers['Location']),
        suggestions: suggestions.map((id) => ({ text: id, href: `/skills/${id}` })),
        retryAfterSeconds: Number(headers['Retry-After'] ?? 0) || null,
      },
    },
  })
}

/** Where to go from an error. */
function linksOf(
  { path, querystring, state }: RequestContext,
  code: string,
  refused: string[],
  movedTo: string | undefined,
): { text: string; href: string }[] {
  if (movedTo !== undefined) {
    return [{ text: 'Open it', href: movedTo }]
  }
  const { endpoint, segments = {} } = state.found ?? {}
  const ofQuery = endpoint === undefined ? [] : refused.filter((name) => Object.hasOwn(endpoint.query.shape, name))
  if (endpoint !== undefined && ofQuery.length > 0 && ofQuery.length === refused.length) {
    const kept = knownPairs(querystring, endpoint.query).filter((pair) => !ofQuery.includes(pair.split('=')[0] ?? ''))
    return [{ text: 'Open the page without it', href: `${path}${kept.length === 0 ? '' : `?${kept.join('&')}`}` }]
  }
  const words = Object.values(segments).join(' ')
  return code.endsWith('_unknown') || code === 'skill_removed'
    ? [{ text: `Search for “${words}”`, href: `/?${new URLSearchParams({ q: words })}` }]
    : []
}
