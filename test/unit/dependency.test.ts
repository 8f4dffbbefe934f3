import { describe, expect, test } from '@jest/globals'
import { Dependency } from '../../services/query/observability/backends.js'
import { problemError } from '../../services/query/request/problems.js'
import { AppError, queryTimeout, unavailable } from '../../shared/runtime/errors.js'
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
  test('any failure becomes a 503 without internals', async () => {
    const { dependency } = aDependency()

    const failed = dependency.call(fail(new Error('SQLITE_IOERR at /srv/data')))

    await expect(failed).rejects.toMatchObject({
      status: 503,
      code: 'catalog_unavailable',
      message: 'The catalog is unavailable. Try again in 5 s.',
      headers: { 'Retry-After': '5' },
    })
    await expect(failed).rejects.toBeInstanceOf(AppError)
  })

  test('an operator error is not sent to the client', async () => {
    const { dependency } = aDependency()

    await expect(dependency.call(fail(new AppError(500, 'disk_full', 'make room on /srv')))).rejects.toMatchObject({
      status: 503,
      code: 'catalog_unavailable',
    })
  })

  test('a 503 other than an outage passes, and is not logged', async () => {
    const { dependency, messages } = aDependency()

    await expect(dependency.call(fail(queryTimeout('Ask for less.')))).rejects.toMatchObject({
      status: 503,
      code: 'query_timeout',
      message: 'Ask for less.',
    })
    expect(messages()).toEqual([])
  })

  test('errors for the client pass, and are no outage', async () => {
    const { dependency, messages } = aDependency()

    await expect(dependency.call(fail(problemError('skill_unknown', 'No such skill.')))).rejects.toMatchObject({
      status: 404,
    })
    expect(messages()).toEqual([])
  })

  test('a 503 of the adapter passes as it is', async () => {
    const { dependency } = aDependency()

    await expect(dependency.call(fail(unavailable('catalog_unavailable', 'Later.', 9)))).rejects.toMatchObject({
      message: 'Later.',
      headers: { 'Retry-After': '9' },
    })
  })

  test('a call that never ends times out, and its late result is dropped', async () => {
    const { dependency } = aDependency(20)
    let end: (value: string) => void = () => {}
    const dropped: string[] = []
    const asked = dependency.call(
      () => new Promise<string>((resolve) => (end = resolve)),
      (late) => dropped.push(late),
    )

    await expect(asked).rejects.toMatchObject({ status: 503 })
    end('too late')
    await new Promise(setImmediate)
    expect(dropped).toEqual(['too late'])
  })

  test('a result in time is not dropped', async () => {
    const { dependency } = aDependency()
    const dropped: string[] = []

    await dependency.call(
      async () => 'in time',
      (late) => dropped.push(late),
    )

    expect(dropped).toEqual([])
  })

  test('an outage is logged once, and its end once when calls have succeeded for a while', async () => {
    const { dependency, clock, messages } = aDependency()
    for (let call = 0; call < 20; call += 1) {
      await expect(dependency.call(fail(new Error('gone')))).rejects.toMatchObject({ status: 503 })
    }
    expect(messages()).toEqual(['dependency unavailable'])

    await dependency.call(async () => 'lucky')
    expect(messages()).toEqual(['dependency unavailable'])
    clock.nowMs += 30_000
    await dependency.call(async () => 'back')
    await dependency.call(async () => 'back')

    expect(messages()).toEqual(['dependency unavailable', 'dependency recovered'])
  })
})
