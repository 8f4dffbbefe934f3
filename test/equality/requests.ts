import { completionRequests } from './requests/completions.js'
import { documentRequests } from './requests/documents.js'
import { listRequests } from './requests/lists.js'
import { parameterRequests } from './requests/parameters.js'
import { searchRequests } from './requests/searches.js'
import type { SharedRequest } from './requests/shared-request.js'
import { skillRequests } from './requests/skills.js'

/** The requests to both modes, by subject. */
export const requests: Record<string, SharedRequest[]> = {
  ...listRequests,
  ...skillRequests,
  ...documentRequests,
  ...searchRequests,
  ...completionRequests,
  ...parameterRequests,
}
