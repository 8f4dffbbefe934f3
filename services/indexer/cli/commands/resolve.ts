import { readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { z } from 'zod'
import { removeCredentials } from '../../../../shared/privacy/personal-addresses.js'
import { AppError, operatorError } from '../../../../shared/runtime/errors.js'
import { parseJson } from '../../../../shared/runtime/http-answers.js'
import { printableLine } from '../../../../shared/text/clean-text.js'
import { formatCount, formatNumber } from '../../../../shared/text/format-numbers.js'
import { digestOf } from '../../../../shared/text/skill-text.js'
import { describeFileError } from '../../import/source.js'
import type { CommandLine, CommonOptions } from '../command-line.js'
import { defineCommand } from '../define-command.js'
import { formatMoment, type Screen, screenOf, textTable } from '../output/screen.js'
import { askApi, withUrl } from '../public-api.js'

interface ResolveOptions extends CommonOptions {
  url?: string
  local: boolean
}

/** Entries of one request, as the API takes them. */
const entriesPerRequest = 200

/** Bytes of a lock file, or of an installed SKILL.md: far more than any has. */
const maxFileBytes = 8 * 1024 * 1024

/** A line of the answer; a later version may have more words. */
const Resolved = z.object({
  name: z.string().nullable(),
  id: z.string().nullable(),
  status: z.string(),
  detail: z.string().nullable(),
  compared: z.string().nullable(),
  isSame: z.boolean().nullable(),
  presentId: z.string().nullable(),
  version: z.string().nullable(),
  changedAt: z.string().nullable(),
})
type Resolved = z.output<typeof Resolved>

const ResolveAnswer = z.object({ data: z.array(Resolved) })

/** Statuses after which nothing is to be done, as far as is known. */
const quiet: ReadonlySet<string> = new Set(['current', 'unknown'])

/** `resolve`: asks the public API of a catalog what has become of the skills of a lock file. */
export const resolve = defineCommand<ResolveOptions>({
  usage: 'resolve <lock-file>',
  summary: 'say which skills of a lock file are outdated, renamed, removed or hidden',
  details: [
    'Reads skills-lock.json or .skill-lock.json of npx skills, or JSON such as {"skills": [{"id": "acme/skills@pdf", ' +
      '"digest": "sha256:…"}]}; - reads standard input. Asks the public API of a running service, as get does. It changes ' +
      'nothing: npx skills update does.',
    'The lock files have hashes of folders, which a catalog can compare only where a skill consists of its SKILL.md. So the ' +
      'SHA-256 of each SKILL.md that lies installed next to the lock file (.agents/skills, .claude/skills) is sent with its ' +
      'entry, unless --no-local is given. One that you have changed yourself differs, too.',
    'Exit status: 0 nothing to do, as far as is known; 1 a skill is outdated, renamed, removed or hidden, or an entry ' +
      'cannot be read; 2 not done. With --json the answer of the API is passed on.',
  ],
  examples: [
    'resolve skills-lock.json',
    'resolve ~/.agents/.skill-lock.json --json',
    'resolve skills-lock.json --url https://catalog.example',
  ],
  options: (command) => withUrl(command).option('--no-local', 'do not read installed files'),
  async run(cli, { url, local }, [file = '']) {
    const entries = await readEntries(cli, file)
    const wanted = local && file !== '-' ? await Promise.all(entries.map((entry) => withDigest(file, entry))) : entries
    const data: unknown[] = []
    const known: Resolved[] = []
    for (let start = 0; start < wanted.length; start += entriesPerRequest) {
      const body = { skills: wanted.slice(start, start + entriesPerRequest) }
      const answer = await askApi(cli, url, '/api/v1/resolve', ResolveAnswer, body)
      data.push(...Object(answer.sent['data']))
      known.push(...answer.known.data)
    }
    return {
      status: known.every(({ status }) => quiet.has(status)) ? 0 : 1,
      result: { data },
      text: resolvedText(known, screenOf(cli.stdout), cli.clock()),
    }
  },
})

/** The entries of a file, each with its name. @throws AppError `bad_arguments` */
async function readEntries(cli: CommandLine, file: string): Promise<unknown[]> {
  const text = file === '-' ? (await buffer(cli.stdin)).toString() : await readShort(file)
  const { skills } = Object(parseJson(text.replace(/^\uFEFF/, ''))) as { skills?: unknown }
  if (typeof skills !== 'object' || skills === null) {
    const expected = 'It looks like skills-lock.json of npx skills, or {"skills": [{"id": "acme/skills@pdf"}]}.'
    throw operatorError(
      'bad_arguments',
      `${file === '-' ? 'Standard input' : file} is not a lock file: it is no JSON with skills in it. ${expected}`,
    )
  }
  const entries = Array.isArray(skills)
    ? skills
    : Object.entries(skills).map(([name, entry]) => (isObject(entry) ? { ...entry, name } : entry))
  return entries.map((entry) => (isObject(entry) && 'source' in entry ? sentOf(entry) : entry))
}

/** The members of an entry that are sent: those that the API reads, without credentials, and no path of this machine. */
function sentOf(entry: Record<string, unknown>): Record<string, unknown> {
  const { name, sourceType } = entry
  return sourceType === 'local'
    ? { name, sourceType, source: 'a folder' }
    : Object.fromEntries([
        ...sentMembers.flatMap((member) => (member in entry ? [[member, entry[member]]] : [])),
        ...addresses.flatMap((member) => (member in entry ? [[member, sentAddress(entry[member])]] : [])),
      ])
}

/** A path of a machine: absolute, of a home, from the present folder, or as an address. */
const pathForm = /^(?:file:|[/\\~]|\.{1,2}[/\\]|[a-z]:[/\\])/i

const sentAddress = (value: unknown): unknown =>
  typeof value !== 'string' ? value : pathForm.test(value) ? 'a folder' : removeCredentials(value)

const addresses = ['source', 'sourceUrl', 'sourceBaseUrl']

const sentMembers = [
  ...['name', 'sourceType', 'skillPath', 'ref', 'updatedAt', 'digest', 'commit'],
  ...['computedHash', 'skillFolderHash', 'contentHash', 'wellKnownDigest'],
]

async function readShort(file: string): Promise<string> {
  try {
    const found = await stat(file)
    if (found.isDirectory()) {
      throw operatorError('bad_arguments', `${file} is a folder: name the lock file in it, such as skills-lock.json.`)
    }
    if (found.size > maxFileBytes) {
      const limit = formatNumber(maxFileBytes)
      throw operatorError('bad_arguments', `${file} has more than ${limit} bytes: it is no lock file.`)
    }
    return await readFile(file, 'utf8')
  } catch (error) {
    throw error instanceof AppError ? error : operatorError('bad_arguments', `${file} ${describeFileError(error)}`)
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The entry with the digest of its installed SKILL.md, where that is found. */
async function withDigest(lockFile: string, entry: unknown): Promise<unknown> {
  if (!isObject(entry) || typeof entry['name'] !== 'string' || 'digest' in entry || 'id' in entry) {
    return entry
  }
  for (const folder of installedIn(lockFile)) {
    const bytes = await readFile(join(folder, folderName(entry['name']), 'SKILL.md')).catch(() => null)
    if (bytes !== null && bytes.length <= maxFileBytes) {
      return { ...entry, digest: digestOf(bytes) }
    }
  }
  return entry
}

/** Where npx skills 1.7 installs the skills of a lock file: of a project, or of a user. */
function installedIn(lockFile: string): string[] {
  const folder = dirname(lockFile)
  return basename(lockFile) === '.skill-lock.json'
    ? [join(folder, 'skills'), ...['.agents', '.claude'].map((name) => join(homedir(), name, 'skills'))]
    : [join(folder, '.agents', 'skills'), join(folder, '.claude', 'skills')]
}

/** The folder of a skill of this name, by the rules of npx skills 1.7. */
const folderName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9._]+/g, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
    .slice(0, 255) || 'unnamed-skill'

function resolvedText(resolved: Resolved[], screen: Screen, now: Date): string {
  if (resolved.length === 0) {
    return 'The lock file has no skills.\n'
  }
  const head = ['skill', 'status', 'id', 'changed', 'what is known']
  const rows = resolved.map((each) => [
    printableLine(each.name ?? each.id ?? '-'),
    quiet.has(each.status) ? each.status : screen.style('yellow', printableLine(each.status)),
    printableLine(each.presentId ?? each.id ?? '-'),
    each.changedAt === null ? '-' : formatMoment(printableLine(each.changedAt), now, screen),
    printableLine(knownOf(each)),
  ])
  const counts = new Map<string, number>()
  for (const { status } of resolved) {
    counts.set(status, (counts.get(status) ?? 0) + 1)
  }
  const summary = [...counts].map(([status, count]) => `${formatNumber(count)} ${printableLine(status)}`).join(', ')
  return `${textTable([head, ...rows], screen, head.length - 1)}\n\n${formatCount(resolved.length, 'skills')}: ${summary}\n`
}

/** What the catalog says of an entry, in words. */
function knownOf({ status, detail, compared, isSame, id, version }: Resolved): string {
  const copy =
    isSame === null
      ? []
      : isSame
        ? [`the same ${compared === 'digest' ? 'SKILL.md' : compared}`]
        : [`another SKILL.md${version === null ? '' : `, version ${version}`}`]
  const known = status === 'renamed' ? [`was ${id}`, ...copy] : copy
  return [...known, ...(detail === null ? [] : [detail])].join('; ') || '-'
}
