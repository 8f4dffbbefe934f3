import { describe, expect, test } from '@jest/globals'
import { jobs } from '../../services/indexer/jobs.js'
import { aLock } from '../support/a-lock.js'
import { aDesk, browser, comparable, deskToken } from '../support/desk.js'
import { aSkill } from '../support/factories.js'
import { exchange } from '../support/raw-exchange.js'
import { runCatalog, withStoresOf } from '../support/run-catalog.js'
import { sampleFolder } from '../support/sample-folder.js'
import { endServices, greetingEnd, nodeStart, sharedService } from '../support/service-process.js'

const bearer = { Authorization: `Bearer ${deskToken}` }

/** A service on a folder, and its desk. */
async function serviceWithDesk(env: Record<string, string> = {}) {
  const [folder, desk] = [await sampleFolder(), await aDesk()]
  const service = nodeStart({ DATA_DIR: folder, ...desk.env, ...env })
  await service.says(greetingEnd)
  return { folder, desk, service }
}

describe('the desk', () => {
  const shared = sharedService(() => serviceWithDesk())

  test('on loopback without a token: only for names of this machine, and not for pages of other sites', async () => {
    const { desk } = shared()
    const port = new URL(desk.url).port
    const statusOf = async (method: 'get' | 'post', headers: Record<string, string>) =>
      (await desk[method](method === 'get' ? '/' : '/jobs/compute-stats/pause', headers)).status

    for (const host of [`localhost:${port}`, `[::1]:${port}`, `127.0.0.1:${port}`]) {
      expect([host, await statusOf('get', { Host: host })]).toEqual([host, 200])
    }
    for (const host of ['evil.example', `127.0.0.1.evil.example:${port}`, 'localhost.evil.example', '10.0.0.1', '@']) {
      expect([host, await statusOf('get', { Host: host })]).toEqual([host, 421])
    }
    for (const headers of [
      { Origin: 'http://evil.example' },
      { Origin: 'null' },
      // Another service of this machine is the same site.
      { Origin: 'http://127.0.0.1:1' },
      { 'Sec-Fetch-Site': 'same-site', Origin: desk.url },
      { 'Sec-Fetch-Site': 'cross-site', Origin: desk.url },
    ]) {
      expect([headers, await statusOf('post', headers)]).toEqual([headers, 403])
    }
    expect((await desk.until('compute-stats', () => true)).paused).toBe(false)

    expect(await statusOf('post', { Origin: desk.url })).toBe(303)
    expect((await desk.until('compute-stats', () => true)).paused).toBe(true)
    expect(await statusOf('post', { 'Sec-Fetch-Site': 'same-origin', Origin: desk.url })).toBe(303)
    // Reads by GET only, and only known jobs and actions.
    expect((await desk.get('/jobs/compute-stats/run')).status).toBe(404)
    expect((await desk.post('/jobs/no-job/run')).status).toBe(404)
    expect((await desk.post('/jobs/compute-stats/constructor')).status).toBe(404)
    expect((await desk.get('/queues/')).status).toBe(404)
  })

  test('a target that is no path is answered with 400, and a whole URL is read as its path', async () => {
    const { desk, service } = shared()
    const statusOf = async (target: string) => {
      const { host } = new URL(desk.url)
      return (await exchange(desk.url, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).status
    }

    for (const target of ['http://[::bad/', 'http://[', 'ftp://host/', 'x', '/#top', 'http://a b/']) {
      expect([target, await statusOf(target)]).toEqual([target, 400])
    }
    for (const path of ['/', '/status.json?x', '/desk.css', '/metrics']) {
      expect([path, await statusOf(`${desk.url}${path}`)]).toEqual([path, 200])
    }
    expect(service.stderr()).not.toContain('could not answer')
  })

  test('finds a skill, hides it, publishes it again, renames and removes it', async () => {
    const { folder, desk } = shared()
    const id = 'quillmoor/pdf-table-lifter'
    const act = async (action: string, body = '', headers: Record<string, string> = {}, skill = id) => {
      const response = await fetch(`${desk.url}/skills/${skill}/${action}`, {
        method: 'POST',
        body,
        headers: { Accept: 'text/html', ...headers },
        redirect: 'manual',
      })
      return [response.status, response.headers.get('location'), await response.text()]
    }
    const stateOf = (skill: string) =>
      withStoresOf(folder, async ({ catalog }) => (await catalog.findSkill(skill)).state)

    const found = await desk.get('/?skill=https://github.com/Quillmoor/PDF-Table-Lifter', browser)
    expect(found.text).toContain(`<form method="post" action="/skills/${id}/hide">`)
    expect(found.text).toContain('PDF Table Lifter')
    expect((await desk.get('/?skill=quillmoor/pdf-table-lifte', browser)).text).toContain(
      '<a href="/?skill=quillmoor%2Fpdf-table-lifter">',
    )
    expect((await desk.get('/?skill=%3Cscript%3E', browser)).text).not.toContain('<script>')

    expect((await act('hide', '', { Origin: 'http://evil.example' }))[0]).toBe(403)
    expect(await stateOf(id)).toBe('published')
    expect((await act('hide')).slice(0, 2)).toEqual([303, `/?action=hide&skill=${encodeURIComponent(id)}`])
    expect(await stateOf(id)).toBe('unknown')
    const hidden = await desk.get(`/?action=hide&skill=${id}`, browser)
    expect(hidden.text).toContain(`<p class="notice" role="status">${id} is hidden.</p>`)
    expect(hidden.text).toContain('Publish again')
    expect((await act('unhide'))[0]).toBe(303)
    expect(await stateOf(id)).toBe('published')
    expect((await desk.get(`/?action=hide&skill=${id}`, browser)).text).not.toContain('class="notice"')
    expect((await act('rename', 'to=Quillmoor%2FTable-Lifter')).slice(0, 2)).toEqual([
      303,
      '/?action=rename&skill=quillmoor%2Ftable-lifter',
    ])
    expect(await stateOf(id)).toBe('renamed')
    await withStoresOf(folder, ({ catalog }) =>
      catalog.put(
        'skills',
        ['a', 'b'].map((skill) => aSkill({ owner: 'acme', repo: 'kit', skill })),
      ),
    )
    const repository = await desk.get('/?skill=https://github.com/Acme/Kit', browser)
    expect(repository.text).toContain('has 2 skills: <a href="/?skill=acme%2Fkit%40a">acme/kit@a</a>')
    expect(repository.text).toContain('<form method="post" action="/skills/acme/kit/hide-all">')
    expect((await act('hide-all', '', {}, 'acme/kit')).slice(0, 2)).toEqual([303, '/?action=hide-all&skill=acme%2Fkit'])
    expect(await stateOf('acme/kit@b')).toBe('unknown')
    expect((await act('unhide-all', '', {}, 'acme/kit'))[0]).toBe(303)
    expect((await act('rename-all', 'to=acme%2Ftools', {}, 'acme/kit')).slice(0, 2)).toEqual([
      303,
      '/?action=rename-all&skill=acme%2Ftools',
    ])
    expect(await stateOf('acme/kit@b')).toBe('renamed')
    const named = await desk.get('/?skill=acme/tools@b', browser)
    expect(named.text).toContain('<form method="post" action="/skills/acme/tools%40b/hide">')
    expect((await act('remove', '', {}, 'acme/tools%40b'))[0]).toBe(303)
    expect(await stateOf('acme/tools@b')).toBe('removed')

    expect((await act('remove', '', {}, 'quillmoor/table-lifter'))[0]).toBe(303)
    expect(await stateOf('quillmoor/table-lifter')).toBe('removed')

    expect(await act('hide', '', {}, 'nobody/nothing')).toEqual([404, null, expect.stringContaining('has no skill')])
    expect((await act('rename', 'to=nothing'))[0]).toBe(400)
    expect((await act('constructor'))[0]).toBe(404)
    expect((await act('rename', `to=${'x'.repeat(2_000)}`))[0]).toBe(413)
  })

  test('shows what catalog status shows, runs and pauses every job, and escapes dead letters', async () => {
    const { folder, desk, service } = shared()

    for (const { name } of jobs.embedded) {
      const askedAt = new Date().toISOString()
      const { status, headers } = await desk.post(`/jobs/${name}/run`)
      expect([name, status, headers.location]).toEqual([name, 303, `/?action=run&job=${name}`])
      expect((await desk.until(name, ({ lastRun }) => (lastRun?.startedAt ?? '') >= askedAt)).lastRun?.error).toBe(null)
    }
    expect(await desk.get(`/?action=run&job=rebuild-index`, browser)).toMatchObject({
      status: 200,
      text: expect.stringContaining('<p class="notice" role="status">rebuild-index was started.</p>'),
    })

    for (const { name, everySeconds } of jobs.embedded) {
      if (everySeconds !== null) {
        await desk.post(`/jobs/${name}/pause`)
      }
    }
    await desk.until('sync-index', ({ runningSince }) => runningSince === null)
    const { json } = await runCatalog(folder, ['status', '--json'])
    expect(json['jobs']).toContainEqual(expect.objectContaining({ name: 'sync-index', paused: true, nextRunAt: null }))
    expect(comparable({ ...(await desk.status()) })).toEqual(comparable(json))
    await desk.post('/jobs/sync-index/resume')
    expect((await desk.until('sync-index', () => true)).paused).toBe(false)

    await withStoresOf(folder, ({ catalog }) =>
      catalog.keepDeadLetters(
        [{ id: 'a/1', reason: '<script>alert(1)</script>', since: '2026-01-01T00:00:00.000Z', source: 'index' }],
        aLock(),
      ),
    )
    const { text } = await desk.get('/', browser)
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(text).toContain('action="/jobs/retry-dead-letters/run"')

    await endServices(service)
  })

  test('with a token, on any address: by a form and its cookie, or as a bearer; guesses are limited', async () => {
    const { desk, service } = await serviceWithDesk({ HOST: '0.0.0.0', OPERATIONS_TOKEN: deskToken })

    expect(await desk.get('/status.json')).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': expect.stringMatching(/^Bearer /) },
    })
    expect((await desk.post('/jobs/sync-index/pause')).status).toBe(401)
    expect((await desk.get('/', browser)).text).toContain('<form method="post" action="/sign-in"')
    expect((await desk.get('/desk.css')).status).toBe(200)
    expect((await desk.get('/metrics')).status).toBe(200)
    expect((await desk.get('/status.json', bearer)).status).toBe(200)
    expect((await desk.get('/status.json', { ...bearer, Host: 'catalog.example' })).status).toBe(200)
    expect((await desk.post('/jobs/sync-index/pause', { ...bearer, Origin: 'http://evil.example' })).status).toBe(403)

    const signedIn = await desk.signIn(deskToken)
    expect(signedIn.status).toBe(303)
    expect(signedIn.cookie).toMatch(/; path=\/; .*samesite=strict; httponly$/)
    expect(signedIn.cookie).not.toContain(deskToken)
    const cookie = String(signedIn.cookie).replace(/;.*/, '')
    expect((await desk.get('/', { ...browser, Cookie: cookie })).text).toContain('Sign out')
    expect((await desk.post('/jobs/sync-index/pause', { Cookie: cookie, Origin: desk.url })).status).toBe(303)
    const later = cookie.replace(/=\d+/, `=${Date.now() * 2}`)
    expect((await desk.get('/', { Cookie: later })).status).toBe(401)
    expect((await desk.post('/sign-out', { Cookie: cookie })).headers['set-cookie']?.[0]).toMatch(
      /=; .*expires=Thu, 01 Jan 1970/,
    )

    expect((await desk.signIn('x'.repeat(2_000))).status).toBe(413)
    const wrong = await desk.signIn('wrong')
    expect([wrong.status, wrong.cookie]).toEqual([401, null])
    expect(wrong.text).toContain('This is not the token.')
    for (let guess = 2; guess <= 10; guess += 1) {
      expect((await desk.get('/', { Authorization: `Bearer guess-${guess}` })).status).toBe(401)
    }
    expect(await desk.get('/', bearer)).toMatchObject({ status: 429, headers: { 'retry-after': '60' } })
    expect((await desk.signIn(deskToken)).status).toBe(429)
    expect((await desk.get('/', { Cookie: cookie })).status).toBe(200)
    expect(service.stdout() + service.stderr()).not.toContain(deskToken)
  })

  test('on another address than loopback: closed without a token', async () => {
    const { desk } = await serviceWithDesk({ HOST: '0.0.0.0' })

    for (const answer of [await desk.get('/'), await desk.post('/jobs/sync-index/run')]) {
      expect(answer).toMatchObject({ status: 403, text: expect.stringContaining('Set OPERATIONS_TOKEN') })
    }
    expect((await desk.get('/metrics')).status).toBe(200)
    expect((await desk.get('/readyz')).status).toBe(200)
  })
})
