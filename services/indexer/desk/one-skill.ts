import { setTimeout as sleep } from 'node:timers/promises'
import { namedSkills } from '../../../shared/fields/web-address.js'
import type { Catalog } from '../../../shared/ports/catalog.js'
import type { JobScheduler } from '../../../shared/ports/job-scheduler.js'
import { withWriteLock } from '../../../shared/ports/locks.js'
import type { RecordState } from '../../../shared/records/fields.js'
import { repositoryId, type StoredSkill, skillId } from '../../../shared/records/skill.js'
import { AppError } from '../../../shared/runtime/errors.js'
import { shorten } from '../../../shared/text/clean-text.js'
import { formatCount } from '../../../shared/text/format-numbers.js'
import { computeStats } from '../jobs/compute-stats.js'
import { ingest } from '../jobs/ingest.js'
import { syncIndex } from '../jobs/sync-index.js'
import { writeExports } from '../jobs/write-exports.js'
import { findSkills, moderationStates, setState } from '../moderation.js'
import { renameRepository, renameSkill } from '../rename-skills.js'
import type { Job } from '../runner/job.js'
import { type Html, html } from './page.js'

const maxNearMatches = 5

/** Skills of a repository that are named. */
const maxLinks = 20

/** Short runs end within this time: the next page shows their effect. */
const runsMs = 1_000

/** The skill that an operator looks for; null: none. */
export interface LookedUp {
  id: string
  /** Null: the catalog has none of this id. */
  skill: StoredSkill | null
  /** Ids of the skills that have names of their own in this repository. */
  named: string[]
  /** Ids that are similar to an unknown one. */
  near: string[]
}

/** Looks up the skill or the repository of the parameter `skill`, an id or an address. */
export async function lookUp(catalog: Catalog, given: unknown): Promise<LookedUp | null> {
  if (typeof given !== 'string' || given.trim() === '') {
    return null
  }
  const ids = namedSkills(given).map(({ owner, repo, skill }) => skillId(owner, repo, skill))
  const skills = await findSkills(catalog, ids)
  const id = ids.find((each) => skills.has(each)) ?? ids.at(-1)
  if (id === undefined) {
    return { id: given.trim(), skill: null, named: [], near: [] }
  }
  const skill = skills.get(id) ?? null
  const named = id.includes('@') ? [] : (await catalog.idsOfRepository(id)).filter((each) => each !== id)
  const isUnknown = skill === null && named.length === 0
  return { id, skill, named, near: isUnknown ? await catalog.nearMatches(id, maxNearMatches) : [] }
}

/** The form that finds a skill, and what can be done with the one that was found. */
export const skillSection = (found: LookedUp | null): Html =>
  html`<section aria-labelledby="skill-heading"><h2 id="skill-heading">One skill</h2>
<form method="get" action="/" class="find"><label for="skill">Owner and repository</label>
<input id="skill" name="skill" value="${found?.id ?? ''}" placeholder="owner/repo" required maxlength="300" autocomplete="off" spellcheck="false">
<button>Find</button></form>
${found === null ? null : foundOf(found)}</section>`

const linksTo = (ids: string[]): Html[] =>
  ids.map((each) => html` <a href="/?skill=${encodeURIComponent(each)}">${each}</a>`)

const pathOf = (id: string): string => `/skills/${id.split('/').map(encodeURIComponent).join('/')}`

const button = (path: string, action: string, label: string): Html =>
  html`<form method="post" action="${path}/${action}"><button>${label}</button></form>`

function foundOf(found: LookedUp): Html {
  const { id, skill, named, near } = found
  if (skill === null && named.length === 0) {
    return html`<p>The catalog has no skill <code>${id}</code>.${near.length === 0 ? null : html` Similar:${linksTo(near)}`}</p>`
  }
  return html`${skill === null ? null : oneSkill(skill)}${named.length === 0 ? null : wholeRepository(found)}`
}

function wholeRepository({ id, named, skill }: LookedUp): Html {
  const path = pathOf(id)
  const rest = named.length > maxLinks ? html` …` : null
  const count = formatCount(named.length, 'skills')
  return html`<div class="found"><p><b><code>${id}</code></b> has ${skill === null ? null : html`further `}${count}:${linksTo(named.slice(0, maxLinks))}${rest}</p>
<div class="buttons">${button(path, 'hide-all', 'Hide all')}${button(path, 'unhide-all', 'Publish all again')}${button(path, 'remove-all', 'Remove all')}</div>
<form method="post" action="${path}/rename-all" class="find"><label for="new-repository">New owner and repository of all</label>
<input id="new-repository" name="to" required maxlength="201" autocomplete="off" spellcheck="false"><button>Rename all</button></form></div>`
}

function oneSkill(skill: StoredSkill): Html {
  const path = pathOf(skill.id)
  const badges = { published: 'good', hidden: 'held', removed: 'bad' }
  return html`<div class="found"><p><b><code>${skill.id}</code></b> <b class="badge ${badges[skill.state]}">${skill.state}</b>
<bdi dir="auto">${skill.name}</bdi></p>
${skill.description === null ? null : html`<p dir="auto">${shorten(skill.description, 500)}</p>`}
<div class="buttons">${skill.state === 'hidden' ? null : button(path, 'hide', 'Hide')}${
    skill.state === 'published' ? null : button(path, 'unhide', 'Publish again')
  }${skill.state === 'removed' ? null : button(path, 'remove', 'Remove')}</div>
<form method="post" action="${path}/rename" class="find"><label for="new-id">New owner and repository</label>
<input id="new-id" name="to" required maxlength="266" autocomplete="off" spellcheck="false"><button>Rename</button></form></div>`
}

const doneTexts: Record<string, string> = {
  hide: 'is hidden',
  unhide: 'is published',
  remove: 'is removed',
  rename: 'has this name now',
  'hide-all': 'is hidden, with all of its skills',
  'unhide-all': 'is published, with all of its skills',
  'remove-all': 'is removed, with all of its skills',
  'rename-all': 'has all skills of the former repository now',
}

/** What was done with the skill of this page; null: nothing, or it has another state by now. */
export function skillNotice(action: unknown, found: LookedUp | null): Html | null {
  if (!found || typeof action !== 'string' || !Object.hasOwn(doneTexts, action)) {
    return null
  }
  const state = stateOf(action)
  const isSo = found.skill ? state === undefined || found.skill.state === state : found.named.length > 0
  return isSo ? html`<p class="notice" role="status">${found.id} ${doneTexts[action] ?? ''}.</p>` : null
}

const stateOf = (action: string): RecordState | undefined =>
  Object.entries(moderationStates).find(([name]) => name === action)?.[1]

export interface SkillActionDeps {
  catalog: Catalog
  scheduler: Pick<JobScheduler, 'trigger'>
  jobs: Pick<Job, 'name'>[]
  now: Date
}

/** Whether something of this name can be done with a skill. */
export const isSkillAction = (action: string): boolean => Object.hasOwn(doneTexts, action)

/**
 * Does something with a skill, and has the jobs update what is made from it.
 *
 * @param to the new name, of a rename
 * @returns the id of the skill, or of the repository with all of them
 * @throws AppError as `setState` and `renameSkill`; `import_running`
 */
export async function actOnSkill(
  { catalog, scheduler, jobs, now }: SkillActionDeps,
  id: string,
  action: string,
  to: string,
): Promise<string> {
  const act = async () => {
    const isAll = action.endsWith('-all')
    const verb = action.replace(/-all$/, '')
    if (verb === 'rename') {
      const rename = isAll ? renameRepository : renameSkill
      const renamed = await rename(catalog, id, to.trim(), { now, signal: AbortSignal.timeout(30_000) })
      return typeof renamed === 'string' ? renamed : repositoryId(renamed[0] ?? id)
    }
    const state = stateOf(verb)
    if (state === undefined) {
      throw new AppError(404, 'not_found', `Nothing of the name ${action} can be done with a skill.`)
    }
    await setState(catalog, 'skills', [id], state, isAll)
    return id.toLowerCase()
  }
  const done = await withWriteLock(catalog, act)
  await Promise.race([update(scheduler, jobs), sleep(runsMs)])
  return done
}

/** The runs report their own errors. */
async function update(scheduler: Pick<JobScheduler, 'trigger'>, jobs: Pick<Job, 'name'>[]): Promise<void> {
  for (const { name } of [ingest, syncIndex, writeExports, computeStats]) {
    if (jobs.some((job) => job.name === name)) {
      await scheduler.trigger(name).catch(() => undefined)
    }
  }
}
