import { ardAgent, ardAgents, ardManifest } from './endpoints/clients/ard-agents.js'
import { ardExplore } from './endpoints/clients/ard-explore.js'
import { ardSearch } from './endpoints/clients/ard-search.js'
import { clawhubSearch, clawhubSettings, clawhubSkill } from './endpoints/clients/clawhub.js'
import { findSkills } from './endpoints/clients/find-skills.js'
import { repositorySkillsIndex, skillsIndex } from './endpoints/clients/skills-index.js'
import { apiCatalog, llmsText } from './endpoints/discovery/descriptions.js'
import { docs, errorCodes, openApi, pageFiles } from './endpoints/discovery/documentation.js'
import { feed } from './endpoints/discovery/feed.js'
import { robots, sitemap, sitemapPart } from './endpoints/discovery/sitemap.js'
import { datasetCatalog, datasetTable, exportFile, newestExport } from './endpoints/exports/export-files.js'
import { exportManifest, exportSignature, exportSnapshots } from './endpoints/exports/export-snapshots.js'
import { getSkill } from './endpoints/get-skill.js'
import { listChanges } from './endpoints/list-changes.js'
import { listSkills } from './endpoints/list-skills.js'
import { datasetPage, statisticsPage } from './endpoints/pages/catalog-pages.js'
import { home } from './endpoints/pages/home.js'
import { indexPages, organizationPage, repositoryIndex, topicPage } from './endpoints/pages/listing-pages.js'
import { namedSkillPage, skillPage } from './endpoints/pages/skill-page.js'
import { resolveSkills } from './endpoints/resolve-skills.js'
import { searchSkills } from './endpoints/search-skills.js'
import { relatedSkills, skillFiles, skillHistory, skillText } from './endpoints/skill-parts.js'
import { stats, statsHistory } from './endpoints/stats.js'
import { suggestSkills } from './endpoints/suggest-skills.js'
import { mcp } from './mcp/endpoint.js'
import type { Endpoint } from './request/endpoint.js'

/** Every endpoint of the API, in the order of the documentation. */
export const endpoints: Endpoint[] = [
  listSkills,
  getSkill,
  skillText,
  skillFiles,
  relatedSkills,
  skillHistory,
  suggestSkills,
  searchSkills,
  resolveSkills,
  stats,
  statsHistory,
  newestExport,
  exportSnapshots,
  // Before the files of all names.
  exportManifest,
  exportSignature,
  datasetTable,
  datasetCatalog,
  exportFile,
  listChanges,
  findSkills,
  skillsIndex,
  repositorySkillsIndex,
  ardSearch,
  ardExplore,
  ardAgents,
  ardAgent,
  ardManifest,
  clawhubSearch,
  clawhubSkill,
  clawhubSettings,
  mcp,
  home,
  docs,
  errorCodes,
  ...openApi(() => endpoints),
  apiCatalog,
  llmsText,
  robots,
  feed,
  sitemap,
  sitemapPart,
  skillPage,
  namedSkillPage,
  ...indexPages,
  organizationPage,
  topicPage,
  repositoryIndex,
  statisticsPage,
  datasetPage,
  ...pageFiles,
]
