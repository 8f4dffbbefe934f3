import { apiCatalog } from './endpoints/api-catalog.js'
import { ardAgent, ardAgents } from './endpoints/clients/ard-agents.js'
import { ardExplore } from './endpoints/clients/ard-explore.js'
import { ardManifest } from './endpoints/clients/ard-manifest.js'
import { ardSearch } from './endpoints/clients/ard-search.js'
import { clawhubSearch } from './endpoints/clients/clawhub-search.js'
import { clawhubSettings, clawhubSkill } from './endpoints/clients/clawhub-skill.js'
import { findSkills } from './endpoints/clients/find-skills.js'
import { repositorySkillsIndex } from './endpoints/clients/repository-skills-index.js'
import { skillsIndex } from './endpoints/clients/skills-index.js'
import { datasetPage } from './endpoints/dataset-page.js'
import { docs } from './endpoints/docs.js'
import { errorCodes } from './endpoints/error-codes.js'
import { datasetCatalog, datasetTable, exportDataset, exportFile } from './endpoints/exports/export-files.js'
import { exportManifest, exportSignature, exportSnapshots } from './endpoints/exports/export-snapshots.js'
import { feed } from './endpoints/feed.js'
import { getSkill } from './endpoints/get-skill.js'
import { home } from './endpoints/home.js'
import { indexPages } from './endpoints/index-pages.js'
import { listChanges } from './endpoints/list-changes.js'
import { listSkills } from './endpoints/list-skills.js'
import { llmsText } from './endpoints/llms-text.js'
import { mcp } from './endpoints/mcp.js'
import { namedSkillPage } from './endpoints/named-skill-page.js'
import { openApi } from './endpoints/openapi.js'
import { organizationPage } from './endpoints/organization-page.js'
import { pageFiles } from './endpoints/page-files.js'
import { relatedSkills } from './endpoints/related-skills.js'
import { repositoryIndex } from './endpoints/repository-index.js'
import { resolveSkills } from './endpoints/resolve-skills.js'
import { robots } from './endpoints/robots.js'
import { searchSkills } from './endpoints/search-skills.js'
import { sitemap } from './endpoints/sitemap.js'
import { sitemapPart } from './endpoints/sitemap-part.js'
import { skillFiles } from './endpoints/skill-files.js'
import { skillHistory } from './endpoints/skill-history.js'
import { skillPage } from './endpoints/skill-page.js'
import { skillText } from './endpoints/skill-text.js'
import { statisticsPage } from './endpoints/statistics-page.js'
import { stats } from './endpoints/stats.js'
import { statsHistory } from './endpoints/stats-history.js'
import { suggestSkills } from './endpoints/suggest-skills.js'
import { topicPage } from './endpoints/topic-page.js'
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
  exportDataset,
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
