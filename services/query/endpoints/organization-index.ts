import { indexPage } from '../pages/index-page.js'

/** GET /organizations: all organizations as a page. */
export const organizationIndex = indexPage('organizations', 'Organizations')
