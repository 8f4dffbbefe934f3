import type { DefinedCommand } from '../../indexer/cli/define-command.js'
import { commands as indexerCommands } from '../../indexer/cli/program.js'
import { mcp } from './mcp.js'

/** Every command of the command line, in the order of the help. */
export const commands: DefinedCommand[] = [...indexerCommands, mcp]
