import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalog } from '../../../shared/ports/catalog.js'
import type { JobScheduler } from '../../../shared/ports/job-scheduler.js'
import type { StoredSkill } from '../../../shared/records/skill.js'
import { AppError } from '../../../shared/runtime/errors.js'
import { shorten } from '../../../shared/text/clean-text.js'
import { type Html, html } from '../../../shared/text/html.js'
import { computeStats } from '../jobs/compute-stats.js'
import { ingest } from '../jobs/ingest.js'
import { syncIndex } from '../jobs/sync-index.js'
import { writeExports } from '../jobs/write-exports.js'
import { findSkills, moderationStates, renameSkill, setState } from '../moderation.js'
import type { Job } from '../runner/job.js'
import { withWriteLock } from '../runner/write-lock.js'

/** Near matches of an unknown id that are shown. */
const maxNearMatches = 5

/** Short runs end within this time: the next page shows their effect. */
const runsMs = 1_000

/** The skill that an operator looks for; null: none. */
export interface LookedUp {
  id: string
  /** Null: the catalog has none of this id. */
  skill: StoredSkill | null
  /** Ids that are similar to an unknown one. */
  near: string[]
}

/** Looks up the skill of the parameter `skill`; an address of a repository has its id at the end. */
export async function lookUp(catalog: Catalog, given: unknown): Promise<LookedUp | null> {
  const [, id = ''] = /([^/\s]+\/[^/\s]+?)\/?$/.exec(typeof given === 'string' ? given.trim().toLowerCase() : '') ?? []
  if (id === '') {
    return typeof given === 'string' && given.trim() !== '' ? { id: given.trim(), skill: null, near: [] } : null
  }
  const skill = (await findSkills(catalog, [id])).get(id) ?? null
  return { id, skill, near: skill === null ? await catalog.nearMatches(id, maxNearMatches) : [] }
}

/** The form that finds a skill, and what can be done with the one that was found. */
export const skillSection = (found: LookedUp | null): Html =>
  html`<section aria-labelledby="skill-heading"><h2 id="skill-heading">One skill</h2>
<form method="get" action="/" class="find"><label for="skill">Owner and repository</label>
<input id="skill" name="skill" value="${found?.id ?? ''}" placeholder="owner/repo" required maxlength="300" autocomplete="off" spellcheck="false">
<button>Find</button></form>
${found === null ? null : foundOf(found)}</section>`

function foundOf({ id, skill, near }: LookedUp): Html {
  if (skill === null) {
    const links = near.map((each) => html` <a href="/?skill=${encodeURIComponent(each)}">${each}</a>`)
    return html`<p>The catalog has no skill <code>${id}</code>.${near.length === 0 ? null : html` Similar:${links}`}</p>`
  }
  const path = `/skills/${skill.id.split('/').map(encodeURIComponent).join('/')}`
  const button = (action: string, label: string) =>
    html`<form method="post" action="${path}/${action}"><button>${label}</button></form>`
  const badges = { published: 'good', hidden: 'held', removed: 'bad' }
  return html`<div class="found"><p><b><code>${skill.id}</code></b> <b class="badge ${badges[skill.state]}">${skill.state}</b>
<bdi dir="auto">${skill.name}</bdi></p>
${skill.description === null ? null : html`<p dir="auto">${shorten(skill.description, 500)}</p>`}
<div class="buttons">${skill.state === 'hidden' ? null : button('hide', 'Hide')}${
    skill.state === 'published' ? null : button('unhide', 'Publish again')
  }${skill.state === 'removed' ? null : button('remove', 'Remove')}</div>
<form method="post" action="${path}/rename" class="find"><label for="new-id">New owner and repository</label>
<input id="new-id" name="to" required maxlength="201" autocomplete="off" spellcheck="false"><button>Rename</button></form></div>`
}

const doneTexts: Record<string, string> = {
  hide: 'is hidden',
  unhide: 'is published',
  remove: 'is removed',
  rename: 'has this name now',
}

/** What was done with the skill of this page; null: nothing. */
export const skillNotice = (action: unknown, found: LookedUp | null): Html | null =>
  found?.skill && typeof action === 'string' && Object.hasOwn(doneTexts, action)
    ? html`<p class="notice" role="status">${found.id} ${doneTexts[action] ?? ''}.</p>`
    : null

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
 * @returns the id of the skill
 * @throws AppError as `setState` and `renameSkill`; `import_running`
 */
export async function actOnSkill(
  { catalog, scheduler, jobs, now }: SkillActionDeps,
  id: string,
  action: string,
  to: string,
): Promise<string> {
  const act = async () => {
    if (action === 'rename') {
      return renameSkill(catalog, id, to.trim(), { now, signal: AbortSignal.timeout(30_000) })
    }
    const [, state] = Object.entries(moderationStates).find(([name]) => name === action) ?? []
    if (state === undefined) {
      throw new AppError(404, 'not_found', `Nothing of the name ${action} can be done with a skill.`)
    }
    await setState(catalog, 'skills', [id], state)
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
