import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { projectRoot } from '../../shared/runtime/project-root.js'

/** A service of docker-compose.yml; lists and names are in its short syntax. */
export interface ComposeService {
  image: string
  /** `uid:gid` */
  user?: string
  restart: string
  profiles?: string[]
  entrypoint?: string[]
  command?: string[]
  /** `null` takes the value of the variable with that name, if it is set. */
  environment?: Record<string, string | null>
  healthcheck: { test?: string[]; disable?: boolean }
  ports?: string[]
  networks?: string[]
  volumes?: string[]
  tmpfs?: string[]
  read_only: boolean
  cap_drop: string[]
  security_opt: string[]
  mem_limit: string
  logging: { options: Record<string, string> }
}

/** The text of docker-compose.yml. */
export const composeText = readFileSync(join(projectRoot(), 'docker-compose.yml'), 'utf8')

/** The values in `composeServices` of the variables without a default. */
export const composeSecret = 'secret-of-compose'

/**
 * The services of docker-compose.yml by name, with variables replaced as Compose does it:
 * https://docs.docker.com/reference/compose-file/interpolation/
 */
export const composeServices: Record<string, ComposeService> = parse(
  composeText.replaceAll(
    /\$(?:\$|\{\w+(?::([?-])([^}]*))?\})/g,
    (whole, kind: string | undefined, rest: string | undefined) =>
      whole === '$$' ? '$' : kind === '-' ? (rest ?? '') : composeSecret,
  ),
  { merge: true },
).services
