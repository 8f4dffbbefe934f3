// Builds `dist` from the sources, if they have changed since it was built.
//
// Other processes may run from `dist` meanwhile, and build it as well. So everything is written next to it first, and each
// file that differs takes its place by one rename. Files that browsers load have a hash of their content in their names:
// those of earlier builds stay, for the pages of services that have not been started again.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist')
const staging = join(dist, `.building-${process.pid}`)
const builtFrom = join(dist, '.built-from')

/** What the build reads. */
const sources = ['services', 'shared', 'infra/build.mjs', 'package.json', 'package-lock.json', 'tsconfig.json']
const sourceEndings = ['.ts', '.tsx', '.css', '.json', '.svg', '.png', '.mjs']
const data = join('shared', 'embedding', 'table')

/** How long a file of an earlier build stays. */
const keptMs = 30 * 86_400_000

/** Named by browsers' pages: the last file to be replaced. */
const pagesManifest = join('web', '.vite', 'manifest.json')

/** The files of a folder and the folders in it, or the file itself, by their paths from the root. */
function filesOf(path) {
  const full = join(root, path)
  if (!existsSync(full)) {
    return []
  }
  if (!statSync(full).isDirectory()) {
    return [path]
  }
  return readdirSync(full).flatMap((name) => filesOf(join(path, name)))
}

function fingerprint() {
  const hash = createHash('sha256')
  const files = sources
    .flatMap(filesOf)
    .filter((path) => sourceEndings.includes(extname(path)) && !path.startsWith(data))
  for (const path of files.toSorted()) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0')
  }
  return hash.digest('hex')
}

const run = (command, args) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'node_modules', command), ...args], {
      cwd: root,
      stdio: 'inherit',
    })
    child.on('error', reject)
    child.on('exit', (status) => (status === 0 ? resolve() : reject(new Error(`${command} has failed, see above`))))
  })

const contentOf = (path) => (existsSync(path) ? readFileSync(path) : null)

/** Puts a file of the new build in its place, unless it is there already. */
function place(path) {
  const [made, target] = [join(staging, path), join(dist, path)]
  if (contentOf(target)?.equals(readFileSync(made))) {
    utimesSync(target, new Date(), new Date())
  } else {
    mkdirSync(dirname(target), { recursive: true })
    renameSync(made, target)
  }
}

function placeAll() {
  const inStaging = (folder) => filesOf(relative(root, join(staging, folder)))
  const made = ['services', 'shared', 'web'].flatMap(inStaging).map((path) => relative(staging, join(root, path)))
  for (const path of made.filter((each) => each !== pagesManifest)) {
    place(path)
  }
  place(pagesManifest)
  const present = new Set(made)
  const isOld = (path) => !path.startsWith('web') || Date.now() - statSync(join(dist, path)).mtimeMs > keptMs
  for (const folder of ['services', 'shared', 'web']) {
    const files = filesOf(join('dist', folder)).map((path) => relative('dist', path))
    for (const path of files.filter((each) => !present.has(each) && isOld(each))) {
      rmSync(join(dist, path), { force: true })
    }
  }
}

async function build(from) {
  await Promise.all([
    // `npm run check` checks the types: here they would take ten times as long.
    run('typescript/bin/tsc', ['-p', 'tsconfig.json', '--noCheck', '--outDir', staging]),
    run('vite/bin/vite.js', ['build', 'services/query/web', '--logLevel', 'warn', '--outDir', join(staging, 'web')]),
  ])
  placeAll()
  writeFileSync(join(staging, 'built-from'), from)
  renameSync(join(staging, 'built-from'), builtFrom)
}

const from = fingerprint()
if (contentOf(builtFrom)?.toString() !== from) {
  try {
    mkdirSync(staging, { recursive: true })
  } catch (error) {
    if (!existsSync(builtFrom)) {
      throw error
    }
    process.stderr.write(
      `${dist} is older than the sources, and cannot be written (${error.code}): it is used as it is.\n`,
    )
    process.exit(0)
  }
  try {
    await build(from)
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}
