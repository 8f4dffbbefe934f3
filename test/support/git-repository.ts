import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { testUnless } from './skip.js'

const missing = spawnSync('git', ['--version']).status === 0 ? null : 'git is missing: put it on PATH'

/** A test that makes repositories of git: skipped, with the reason, when there is no git on PATH. */
export const testWithGit = (name: string, run: () => Promise<void>): void => testUnless(missing, name, run)

/**
 * Makes a repository of git with one commit.
 *
 * @param origin the address of its remote; null: it has none
 * @param files their texts by path
 * @returns the commit
 */
export function gitRepository(folder: string, origin: string | null, files: Record<string, string>): string {
  const git = (...args: string[]): string => execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).trim()
  mkdirSync(folder, { recursive: true })
  git('init', '--quiet', '--initial-branch', 'main')
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  git('add', '.')
  git('-c', 'user.name=a', '-c', 'user.email=a@mail.example', 'commit', '--quiet', '--message', 'Add skills')
  if (origin !== null) {
    git('remote', 'add', 'origin', origin)
  }
  return git('rev-parse', 'HEAD')
}
