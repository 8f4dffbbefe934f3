import { each, get, type SharedRequest } from './shared-request.js'

/** Texts whose completions do not depend on the choice of the skills that are weighed. */
const texts = each(
  'k, ku, kum, p, pd, mark, pdf ta, ta pdf, data an, the, acme, acme/, acme/kumquat, twins/al, twins, quillmoor, ' +
    'Kumquat Peeler, langchain, cafe, データ, 縦, 🦀, kumqat, kumqaut, markdwon, kuberntes, zzzzzz, ---, "a',
)

/** Requests for completions. */
export const completionRequests: Record<string, SharedRequest[]> = {
  'completions for a search box': get(
    ...[...texts.map(encodeURIComponent), 'p&limit=1', 'p&limit=10', 'p&limit=11', ''].map(
      (query) => `/api/v1/skills/suggest?q=${query}`,
    ),
    '/api/v1/skills/suggest',
  ),
}
