import { describe, expect, test } from '@jest/globals'
import { Dependency } from '../../services/query/dependency.js'
import { problemError } from '../../services/query/errors.js'
import { AppError, queryTimeout, unavailable } from '../../shared/errors.js'
import { keptLog } from '../support/test-log.js'

function aDependency(timeLimitMs = 1_000) {
  const { log, lines } = keptLog()
  const clock = { nowMs: 0 }
  const dependency = new Dependency({
    name: 'catalog',
    code: 'catalog_unavailable',
    log,
    timeLimitMs,
    clock: () => clock.nowMs,
  })
  return { dependency, clock, messages: () => lines.map(({ msg }) => msg) }
}

const fail = (error: Error) => async () => {
  throw error
}

describe('dependency', () => {
  test('gives back what the call gives', async () => {
    const { dependency } = aDependency()

    expect(await dependency.ask(async () => 7)).toBe(7)
  })

  test('whatever goes wrong becomes a 503 that tells nothing of the inside', async () => {
    const { dependency } = aDependency()

    const failed = dependency.ask(fail(new Error('SQLITE_IOERR at /srv/data')))

    await expect(failed).rejects.toMatchObject({
      status: 503,
      code: 'catalog_unavailable',
      message: 'The catalog does not answer just now. Try again in 5 s.',
      headers: { 'Retry-After': '5' },
    })
    await expect(failed).rejects.toBeInstanceOf(AppError)
  })

  test('an error of the operator is not the client’s to read', async () => {
    const { dependency } = aDependency()

    await expect(dependency.ask(fail(new AppError(500, 'disk_full', 'make room on /srv')))).rejects.toMatchObject({
      status: 503,
      code: 'catalog_unavailable',
    })
  })

  test('a 503 that says something else than that the part is unavailable passes, and is no outage', async () => {
    const { dependency, messages } = aDependency()

    await expect(dependency.ask(fail(queryTimeout('Ask for less.')))).rejects.toMatchObject({
      status: 503,
      code: 'query_timeout',
      message: 'Ask for less.',
    })
    expect(messages()).toEqual([])
  })

  test('errors that are meant for the client pass, and are no outage', async () => {
    const { dependency, messages } = aDependency()

    await expect(dependency.ask(fail(problemError('skill_unknown', 'No such skill.')))).rejects.toMatchObject({
      status: 404,
    })
    expect(messages()).toEqual([])
  })

  test('a 503 of the adapter passes as it is', async () => {
    const { dependency } = aDependency()

    await expect(dependency.ask(fail(unavailable('catalog_unavailable', 'Later.', 9)))).rejects.toMatchObject({
      message: 'Later.',
      headers: { 'Retry-After': '9' },
    })
  })

  test('a call that never ends is given up, and what it brings too late is dropped', async () => {
    const { dependency } = aDependency(20)
    let end: (value: string) => void = () => {}
    const dropped: string[] = []
    const asked = dependency.ask(
      () => new Promise<string>((resolve) => (end = resolve)),
      (late) => dropped.push(late),
    )

    await expect(asked).rejects.toMatchObject({ status: 503 })
    end('too late')
    await new Promise(setImmediate)
    expect(dropped).toEqual(['too late'])
  })

  test('what arrives in time is not dropped', async () => {
    const { dependency } = aDependency()
    const dropped: string[] = []

    await dependency.ask(
      async () => 'in time',
      (late) => dropped.push(late),
    )

    expect(dropped).toEqual([])
  })

  test('an outage is logged once, and its end once when calls have gone well for a while', async () => {
    const { dependency, clock, messages } = aDependency()
    for (let call = 0; call < 20; call += 1) {
      await expect(dependency.ask(fail(new Error('gone')))).rejects.toMatchObject({ status: 503 })
    }
    expect(messages()).toEqual(['dependency does not answer'])

    await dependency.ask(async () => 'lucky')
    expect(messages()).toEqual(['dependency does not answer'])
    clock.nowMs += 30_000
    await dependency.ask(async () => 'back')
    await dependency.ask(async () => 'back')

    expect(messages()).toEqual(['dependency does not answer', 'dependency answers again'])
  })
})
