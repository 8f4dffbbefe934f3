import type { Tool } from './tool.js'
import { catalogStats } from './tools/catalog-stats.js'
import { getSkill } from './tools/get-skill.js'
import { listSkills } from './tools/list-skills.js'
import { searchSkills } from './tools/search-skills.js'
import { suggestSkills } from './tools/suggest-skills.js'

/** Every tool of the MCP server, in the order in which clients list them. */
export const tools: Tool[] = [searchSkills, getSkill, listSkills, suggestSkills, catalogStats]
