import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../../shared/runtime/project-root.js'

/** The folder of the MongoDB stand-in. */
export const standInFolder = join(projectRoot(), 'infra', 'mongo-stand-in')

/** Where Maven puts the stand-in's libraries. */
export const standInLibraries = join(standInFolder, 'target', 'lib')

/**
 * Compiles the MongoDB stand-in unless these sources are compiled already: otherwise Java would compile them at each
 * start, which takes longer than the start itself.
 *
 * @returns the class path to run it with
 */
export async function compileStandIn(): Promise<string> {
  const sources = readdirSync(join(standInFolder, 'src'))
    .sort()
    .map((name) => join(standInFolder, 'src', name))
  const hash = createHash('sha256')
  for (const source of sources) {
    hash.update(readFileSync(source))
  }
  const target = join(standInFolder, 'target')
  const classes = join(target, `classes-${hash.digest('hex').slice(0, 16)}`)
  const libraries = readdirSync(standInLibraries).map((name) => join(standInLibraries, name))
  if (!existsSync(classes)) {
    const made = mkdtempSync(join(target, 'compiling-'))
    // A runtime without development tools has the compiler's module, but no `javac`.
    const compiler = ['-XX:TieredStopAtLevel=1', '-m', 'jdk.compiler/com.sun.tools.javac.Main']
    await promisify(execFile)('java', [...compiler, '-cp', libraries.join(delimiter), '-d', made, ...sources])
    try {
      renameSync(made, classes)
    } catch {
      // Another process has compiled the same sources in the meantime.
      rmSync(made, { recursive: true })
    }
  }
  return [classes, ...libraries].join(delimiter)
}
