import { indexPage } from '../pages/index-page.js'

/** GET /topics: all topics as a page. */
export const topicIndex = indexPage('topics', 'Topics')
