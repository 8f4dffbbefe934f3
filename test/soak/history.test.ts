import { expect, test } from '@jest/globals'
import { repositoryId, type Skill, toPublicSkill } from '../../shared/records/skill.js'
import { aSkill } from '../support/factories.js'
import { History, type Reading } from './history.js'
import { FaultPlan } from './plan-faults.js'
import { WritePlan } from './plan-writes.js'
import { type RepositoryAnswer, repositoryViolations } from './repository-view.js'

/** A history whose clock the test sets. */
function aHistory() {
  const time = { now: 0 }
  const history = new History(() => time.now)
  const write = (
    skill: Skill | null,
    shown: boolean,
    [from, to]: [number, number],
    by: Parameters<History['begin']>[1] = 'store',
  ) => {
    time.now = from
    const confirm = history.begin('acme/tool', by, skill, shown)
    time.now = to
    confirm()
  }
  return { history, write }
}

const version = (stars: number): Skill => toPublicSkill(aSkill({ repo: 'tool', stars }))

const reading = (history: History, source: Reading['source'], [from, to]: [number, number]): Reading => ({
  source,
  from,
  to,
  confirmed: history.confirmed,
})

test('records may be read in a state of the time of the reading only', () => {
  const { history, write } = aHistory()
  write(version(1), true, [10, 20])
  write(version(2), true, [50, 60])
  const violation = (stars: number, from: number, to: number) =>
    history.violation(version(stars), reading(history, 'records', [from, to]))
  expect(violation(1, 15, 16)).toBeNull()
  expect(violation(1, 55, 56)).toBeNull()
  expect(violation(2, 55, 56)).toBeNull()
  expect(violation(1, 61, 70)).toContain('version 1')
  expect(violation(2, 30, 49)).toContain('version 2')
  expect(violation(3, 30, 49)).toContain('never written')
})

test('an index may lag, but not show states before the confirmed ones', () => {
  const { history, write } = aHistory()
  write(version(1), true, [10, 20])
  write(version(2), true, [30, 40])
  const before = reading(history, 'index', [50, 60])
  history.confirm()
  write(version(3), true, [70, 80])
  const violation = (stars: number) => history.violation(version(stars), reading(history, 'index', [90, 95]))
  expect(history.violation(version(1), before)).toBeNull()
  expect(violation(1)).toContain('version 1')
  expect([violation(2), violation(3)]).toEqual([null, null])
})

test('a skill that is new after a confirmation may have been absent before', () => {
  const { history, write } = aHistory()
  write(version(1), true, [10, 20])
  history.begin('acme/other', 'store', version(2), true)()
  history.confirm()

  expect(history.absenceViolation('acme/new', reading(history, 'records', [50, 60]))).toBeNull()
})

test('a mixture of two states is reported', () => {
  const { history, write } = aHistory()
  write({ ...version(1), name: 'One' }, true, [10, 20])
  write({ ...version(2), name: 'Two' }, true, [30, 40])
  const mixed = { ...version(2), name: 'One' }
  expect(history.violation(mixed, reading(history, 'index', [50, 60]))).toContain('mixture')
})

test('hidden skills must not be shown, and published ones must not be absent', () => {
  const { history, write } = aHistory()
  const absence = (from: number, to: number) =>
    history.absenceViolation('acme/tool', reading(history, 'records', [from, to]))
  write(version(1), true, [10, 20])
  write(version(2), false, [30, 40])
  expect([absence(5, 8), absence(35, 36), absence(50, 60)]).toEqual([null, null, null])
  expect(absence(21, 29)).toContain('acme/tool')
  expect(history.violation(version(2), reading(history, 'records', [50, 60]))).toContain('not shown')
  expect(history.violation(version(2), reading(history, 'index', [50, 60]))).toContain('not shown')
  expect(history.throughout(reading(history, 'records', [21, 29]))).toEqual(['acme/tool'])
  expect(history.throughout(reading(history, 'records', [21, 31]))).toEqual([])
})

test('what other applications write may be seen after its ingest, and must be after its confirmation or a later write of the store', () => {
  const { history, write } = aHistory()
  write(version(1), true, [10, 20], 'crawler')
  write(version(2), false, [30, 40], 'crawler')
  const afterwards = reading(history, 'records', [50, 60])
  expect(history.violation(version(2), afterwards)).toContain('not shown')
  expect(history.violation(version(1), afterwards)).toBeNull()
  history.confirm()
  const absent = (at: number) => history.absenceViolation('acme/tool', reading(history, 'records', [at, at]))
  const shown = (at: number, stars: number) => history.violation(version(stars), reading(history, 'records', [at, at]))
  expect(shown(65, 1)).toContain('version 1')
  write(version(3), true, [70, 80], 'crawler')
  expect([absent(90), shown(90, 3)]).toEqual([null, null])
  history.confirm()
  expect(absent(95)).toContain('acme/tool')
  write(version(4), false, [100, 110], 'moderator')
  expect([absent(115), shown(115, 3)]).toEqual([null, null])
  write(version(5), true, [120, 130])
  expect(absent(140)).toContain('acme/tool')
  expect([shown(125, 3), shown(140, 5)]).toEqual([null, null])
  expect(shown(140, 3)).toContain('version 3')
})

test.each(['embedded', 'servers'] as const)(
  'equal seeds give equal plans, and different seeds different ones: %s',
  (mode) => {
    const planned = (seed: number) => {
      const writes = new WritePlan(seed, mode === 'servers' ? ['store', 'crawler'] : ['store'])
      const faults = new FaultPlan(seed, mode)
      return [writes.begin(), ...[1, 2, 3].flatMap(() => [writes.round(5_000), faults.round(30_000)])]
    }
    expect(planned(7)).toEqual(planned(7))
    expect(planned(8)).not.toEqual(planned(7))
  },
)

test('a repository must be shown with the skills in it', () => {
  let now = 0
  const history = new History(() => now)
  const skills = [3, 2].map((stars): Skill => {
    const skill = toPublicSkill(aSkill({ repo: 'kit', skill: `s-${stars}`, name: `Tool ${stars}`, stars }))
    history.begin(skill.id, 'store', skill, true)()
    return skill
  })
  now = 10
  const read = { from: 20, to: 30, confirmed: history.confirmed }
  const [first, second] = skills.map(({ id, skill, name, description, path }) => ({
    id,
    skill,
    name,
    description,
    path,
  }))
  const data = { ...skills[0], id: 'acme/kit', name: 'kit', skill: null } as Skill
  const violations = (shown: RepositoryAnswer | null) => repositoryViolations('acme/kit', shown, read, history)
  const whole = [first, second].filter((each) => each !== undefined)

  expect(violations({ data, skills: whole, skillsTotal: 2 })).toEqual([])
  expect(violations({ data, skills: whole.slice(0, 1), skillsTotal: 1 })[0]).toContain('acme/kit@s-2 was absent')
  expect(violations({ data, skills: whole.toReversed(), skillsTotal: 2 })[0]).toContain('order')
  expect(violations({ data, skills: whole, skillsTotal: 3 })[0]).toContain('has 3 skills')
  expect(violations({ data: { ...data, stars: 2 }, skills: whole, skillsTotal: 2 })[0]).toContain('other skills')
  const written = whole.map((each) => ({ ...each, path: 'elsewhere' }))
  expect(violations({ data, skills: written, skillsTotal: 2 })[0]).toContain('never written')
  expect(violations(null)).toHaveLength(2)
})

test('former ids lead to the present one, unless a skill has them again', () => {
  const history = new History(() => 0)
  const skill = version(1)
  history.begin(skill.id, 'store', skill, true)()
  history.name('doc-1', 'acme/new', ['acme/old', skill.id])
  history.name('doc-2', null, ['acme/hidden-before'])

  expect([...history.renamed()]).toEqual([['acme/old', 'acme/new']])

  // The catalog need not have read a document under each of its names.
  for (const id of ['acme/read', 'acme/unread']) {
    const confirm = history.begin(id, 'crawler', { ...skill, id }, true)
    confirm()
    if (id === 'acme/read') {
      history.name('doc-3', id, [])
      history.confirm()
    }
    history.begin(id, 'crawler', null, false)()
  }
  history.name('doc-3', 'acme/crawled', ['acme/read', 'acme/unread'])
  expect(history.renamed().get('acme/read')).toBe('acme/crawled')
  expect(history.renamed().has('acme/unread')).toBe(false)
})

test('a plan renames a repository of 300 skills in each round, moves skills, and gives names again', () => {
  const plan = new WritePlan(7, ['store'])
  const added = plan.begin()
  const round = plan.round(30_000)
  const moved = round.filter(
    ({ kind, previousId, skill }) => kind === 'rename' && repositoryId(previousId ?? '') !== repositoryId(skill.id),
  )
  const together = moved.filter(({ skill }) => skill.skill !== null)
  const names = added.flatMap(({ skill }) => (skill.skill === null ? [] : [skill.skill]))

  expect(together.length).toBeGreaterThan(250)
  expect(new Set(together.map(({ atMs, skill }) => `${atMs} ${skill.repo}`)).size).toBe(1)
  expect(round.filter(({ kind }) => kind === 'move').length).toBeGreaterThan(3)
  expect(new Set(names).size).toBeLessThan(names.length)
  const ids = [...added, ...round].map(({ document, skill }) => `${skill.id} ${document.replace(/\+.*/, '')}`)
  expect(new Set(ids).size).toBe(new Set(ids.map((each) => each.split(' ')[0])).size)
})
