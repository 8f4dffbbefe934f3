import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { describeUnless } from './skip.js'

/**
 * Defines tests that run a program of this machine; if it is missing, a skipped test says so.
 *
 * @param check arguments with which a suitable version exits with 0
 */
export function whenProgram(name: string, check: string[], define: () => void): void {
  const isFound = spawnSync(name, check).status === 0
  describeUnless(isFound ? null : `${name} is missing: put it on PATH`, `with ${name}`, define)
}

/** Runs a program. Resolves with its exit status and output. */
export async function runProgram(
  name: string,
  args: string[],
): Promise<{ status: number; stdout: string; stderr: string }> {
  try {
    return { status: 0, ...(await promisify(execFile)(name, args, { maxBuffer: 64 * 1024 * 1024 })) }
  } catch (error) {
    const { code, stdout, stderr } = Object(error)
    return { status: Number(code), stdout: String(stdout), stderr: String(stderr) }
  }
}
