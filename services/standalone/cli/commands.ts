import type { CommonOptions } from '../../indexer/cli/command-line.js'
import { defineCommand } from '../../indexer/cli/define-command.js'
import { type CommandGroups, commandGroups } from '../../indexer/cli/program.js'

interface McpOptions extends CommonOptions {
  url?: string
}

/** `mcp`: the MCP server of /mcp, over standard input and output. */
const mcp = defineCommand<McpOptions>({
  usage: 'mcp',
  summary: 'answer the Model Context Protocol on standard input and output, for a client that starts this command',
  details: [
    'It has the tools of /mcp: search_skills, get_skill, list_skills, suggest_skills and catalog_stats. Without --url it ' +
      'reads the catalog of DATA_DIR, or of the configured servers, whether a service runs on it or not, and never writes.',
    'Standard output has protocol messages only. With LOG_LEVEL, the log is on standard error. The command ends when its ' +
      'standard input is closed and all that it has read is answered.',
  ],
  examples: ['mcp', 'mcp --url https://catalog.example'],
  ownOutput: true,
  options: (command) => command.option('--url <url>', 'use the public API of the catalog at this address'),

  async run(cli, { url }) {
    // Other commands need none of it: the query service takes as long to load as all commands together.
    const { serveCatalog, serveRemote } = await import('./mcp.js')
    await (url === undefined ? cli.withReader((stores) => serveCatalog(cli, stores)) : serveRemote(cli, url))
    return { status: 0, result: {}, text: '' }
  },
})

/** Every command of the command line, in the order of the help. */
export const commands: CommandGroups = {
  ...commandGroups,
  'Skills:': { ...commandGroups['Skills:'], mcp: async () => mcp },
}
