import type { Problem } from '../problems/problem.js'
import { renderPage } from './render-page.js'

/** An error as a page, for people. @param headers those of the answer */
export const problemPage = (problem: Problem, headers: Record<string, string>): string =>
  renderPage({
    title: `${problem.title} – Skill Catalog`,
    description: problem.detail,
    path: problem.instance,
    shown: {
      view: 'problem',
      data: {
        status: problem.status,
        title: problem.title,
        detail: problem.detail,
        code: problem.code,
        requestId: problem.requestId,
        suggestions: (problem.suggestions ?? []).map((id) => ({ text: id, href: `/skills/${id}` })),
        retryAfterSeconds: Number(headers['Retry-After'] ?? 0) || null,
      },
    },
  })
