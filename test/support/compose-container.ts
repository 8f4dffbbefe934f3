import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { type ComposeService, composeServices } from './compose-file.js'
import { type Container, type ContainerSettings, makeContainer } from './container.js'

interface Changes {
  programs: string[]
  /** The user of the image, `uid:gid`, where docker-compose.yml names none. Default root. */
  user?: string
  /** Variables that replace those of docker-compose.yml. */
  env?: Record<string, string>
  /** Files and folders that replace the mounts of docker-compose.yml, by their source there. */
  mounts?: Record<string, string>
  /** Files of the image, by their path in it. */
  image?: Record<string, string>
  emptyFolders?: string[]
  /** The working folder of the image's programs; default: the root. */
  workingFolder?: string
}

/** The container of a service of docker-compose.yml. */
export function composeContainer(name: string, changes: Changes): Container {
  const { user = changes.user ?? '0:0', environment = {}, volumes = [], tmpfs = [] } = serviceOf(name)
  const readOnly = Object.entries(changes.image ?? {}).map(([to, from]) => ({ from, to }))
  // A tmpfs has the mode of the image's folder that it covers, and belongs to root.
  const writable = tmpfs.map((to) => ({ to, mode: to === '/tmp' ? 0o1777 : 0o755, owner: '0:0' }))
  for (const volume of volumes) {
    const [source = '', to = '', options] = volume.split(':')
    if (options === 'ro') {
      readOnly.push({ from: changes.mounts?.[source] ?? join(projectRoot(), source), to })
    } else {
      // A new volume has the owner of the image's folder: the user of the image.
      writable.push({ to, mode: 0o755, owner: user })
    }
  }
  const given = Object.entries(environment).flatMap(([key, value]) => (value === null ? [] : [[key, String(value)]]))
  const settings: ContainerSettings = {
    user,
    env: { ...Object.fromEntries(given), ...changes.env },
    workingFolder: changes.workingFolder ?? '/',
    programs: changes.programs,
    readOnly,
    emptyFolders: changes.emptyFolders ?? [],
    writable,
  }
  return makeContainer(settings)
}

/**
 * The container of a service whose image is built here, with the files that its Dockerfile copies.
 *
 * @param folders of this machine, by where they are mounted
 */
export const builtContainer = (
  name: string,
  env: Record<string, string>,
  folders: Record<string, string> = {},
): Container =>
  composeContainer(name, {
    programs: ['node'],
    user: instruction('USER'),
    workingFolder: instruction('WORKDIR'),
    env,
    image: {
      ...folders,
      ...copiedFiles(),
    },
  })

/** The files that the Dockerfile copies, by where it does so. */
const copiedFiles = (): Record<string, string> =>
  Object.fromEntries(
    [...dockerfile.matchAll(/^COPY (?:--\S+ )*(.+) (\S+)$/gm)].flatMap(([, sources = '', to = '']) =>
      sources.split(' ').map((source) => {
        const from = source.replace(/^\/app\//, '').replace(/\/[^/]*\*[^/]*$/, '')
        return [posix.resolve(instruction('WORKDIR'), to === './' ? from : to), join(projectRoot(), from)]
      }),
    ),
  )

/** The environment of a service. */
export function composeCommand(name: string): string[] {
  const { entrypoint, command } = serviceOf(name)
  const given = [...(entrypoint ?? []), ...(command ?? [])]
  return given.length > 0 ? given : JSON.parse(instruction('CMD'))
}

/** The command of a service's health check, with texts replaced; each of them must occur. */
export function composeCheck(name: string, replaced: Record<string, string> = {}): string[] {
  const [kind, ...words] = serviceOf(name).healthcheck.test ?? []
  const command = kind === 'CMD-SHELL' ? ['sh', '-c', ...words] : words
  return Object.entries(replaced).reduce((changed, [text, other]) => {
    if (!changed.some((word) => word.includes(text))) {
      throw new Error(`the health check of ${name} has no ${text} in it`)
    }
    return changed.map((word) => word.replace(text, other))
  }, command)
}

function serviceOf(name: string): ComposeService {
  const service = composeServices[name]
  if (service === undefined) {
    throw new Error(`docker-compose.yml has no service ${name}`)
  }
  return service
}

/** The last stage of the Dockerfile, which is the image. */
const dockerfile =
  readFileSync(join(projectRoot(), 'infra/docker/Dockerfile'), 'utf8')
    .split(/^FROM /m)
    .at(-1) ?? ''

/** The last instruction of this name in the Dockerfile. */
const instruction = (name: string): string =>
  [...dockerfile.matchAll(new RegExp(`^ *${name} (.+)$`, 'gm'))].at(-1)?.[1] ?? ''
