import { expect, test } from '@jest/globals'
import { type Skill, toPublicSkill } from '../../shared/records/skill.js'
import { aSkill } from '../support/factories.js'
import { History, type Reading } from './history.js'
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
