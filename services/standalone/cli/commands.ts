import { type CommandGroups, commandGroups } from '../../indexer/cli/program.js'
import { mcp } from './mcp.js'

/** Every command of the command line, in the order of the help. */
export const commands: CommandGroups = { ...commandGroups, 'Skills:': [...commandGroups['Skills:'], mcp] }
