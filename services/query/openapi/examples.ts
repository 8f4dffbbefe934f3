import exportDataset from './examples/export.json' with { type: 'json' }
import exportSnapshots from './examples/export-snapshots.json' with { type: 'json' }
import getSkill from './examples/get-skill.json' with { type: 'json' }
import home from './examples/home.json' with { type: 'json' }
import listChanges from './examples/list-changes.json' with { type: 'json' }
import listSkills from './examples/list-skills.json' with { type: 'json' }
import relatedSkills from './examples/related-skills.json' with { type: 'json' }
import resolveSkills from './examples/resolve-skills.json' with { type: 'json' }
import searchSkills from './examples/search-skills.json' with { type: 'json' }
import stats from './examples/stats.json' with { type: 'json' }
import suggestSkills from './examples/suggest-skills.json' with { type: 'json' }

/** A request and its response on the sample catalog; long lists are shortened. */
export interface Example {
  /** Path and query. */
  request: string
  /** The body of a POST; absent: it is a GET. */
  body?: unknown
  /** The body of the response; absent: not JSON. */
  answer?: unknown
}

/** The examples in the document, by the endpoint's name. A test sends each of these requests. */
export const examples: { [endpointName: string]: Example } = {
  'list-skills': listSkills,
  'get-skill': getSkill,
  'related-skills': relatedSkills,
  'search-skills': searchSkills,
  'resolve-skills': resolveSkills,
  'suggest-skills': suggestSkills,
  stats,
  export: exportDataset,
  'export-snapshots': exportSnapshots,
  'list-changes': listChanges,
  home,
  'skill-page': { request: '/skills/quillmoor/pdf-table-lifter' },
  'organization-page': { request: '/organizations/quillmoor' },
  'topic-page': { request: '/topics/pdf' },
  'sitemap-part': { request: '/sitemaps/1.xml' },
}
