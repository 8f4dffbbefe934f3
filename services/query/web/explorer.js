// @ts-check
/**
 * The explorer: searches while one types, narrows by facets, and keeps all of it in the address behind the `#`, so that
 * a search can be sent to others and the back button works. It uses the public API only, within its limits.
 *
 * @typedef {{ q: string, sort: string, page: number, topic: string[], license: string, language: string, owner: string }} Asked
 * @typedef {{ id: string, name: string, owner: string, repo: string, description: string | null, topics: string[],
 *   license: string | null, language: string | null, stars: number | null, updatedAt: string | null,
 *   highlights?: { name: string | null, description: string | null } }} Skill
 * @typedef {{ data: Skill[], pagination: { total: number, page: number, totalPages: number },
 *   facets?: Record<string, { value: string, count: number }[]> }} Found
 */

const pageSize = 20

/** How long nothing must be typed before it is asked for: a request for every letter would use up the quota. */
const pauseMs = 180

/** @type {(id: string) => HTMLElement} */
const element = (id) => {
  const found = document.getElementById(id)
  if (found === null) {
    throw new Error(`the page has no ${id}`)
  }
  return found
}

const box = /** @type {HTMLInputElement} */ (element('q'))
const order = /** @type {HTMLSelectElement} */ (element('sort'))
const status = element('status')
const results = element('results')
const filters = element('filters')
const pages = element('pages')

/** Names of the facets as the API counts them, of the parameters that narrow by them, and for people. */
const facets = /** @type {const} */ ([
  ['topics', 'topic', 'Topics'],
  ['language', 'language', 'Languages'],
  ['license', 'license', 'Licences'],
  ['owner', 'owner', 'Owners'],
])

/** @type {AbortController | null} */
let underWay = null
/** @type {ReturnType<typeof setTimeout> | undefined} */
let pause

/** @returns {Asked} */
function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1))
  const text = (/** @type {string} */ name) => given.get(name) ?? ''
  return {
    q: text('q'),
    sort: text('sort'),
    page: Math.max(1, Number.parseInt(text('page'), 10) || 1),
    topic: given.getAll('topic'),
    license: text('license'),
    language: text('language'),
    owner: text('owner'),
  }
}

/** What was asked as the parameters of a query, without those that say nothing. @param {Asked} asked */
function parameters({ page, ...asked }) {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(asked)) {
    for (const one of [value].flat().filter((text) => text !== '')) {
      given.append(name, one)
    }
  }
  if (page > 1) {
    given.set('page', String(page))
  }
  return given
}

/** Asks for something else, and remembers it. @param {Partial<Asked>} changes @param {boolean} [typing] */
function ask(changes, typing = false) {
  const hash = `#${parameters({ ...readAddress(), page: 1, ...changes })}`
  // Every letter as a step back would be a nuisance.
  history[typing ? 'replaceState' : 'pushState'](null, '', hash === '#' ? location.pathname : hash)
  void show()
}

/** @param {Asked} asked */
function addressOf(asked) {
  const given = parameters(asked)
  given.set('limit', String(pageSize))
  given.set('page', String(asked.page))
  if (asked.q.trim() === '') {
    given.delete('q')
    given.set('sort', asked.sort || 'stars')
    return `/api/v1/skills?${given}`
  }
  given.set('highlight', 'true')
  given.set('facets', facets.map(([name]) => name).join(','))
  return `/api/v1/skills/search?${given}`
}

/** Brings the page to what the address asks for. */
async function show() {
  clearTimeout(pause)
  underWay?.abort()
  const own = new AbortController()
  underWay = own
  const asked = readAddress()
  if (box.value !== asked.q && document.activeElement !== box) {
    box.value = asked.q
  }
  order.value = asked.sort
  results.setAttribute('aria-busy', 'true')
  try {
    const answer = await fetch(addressOf(asked), { signal: own.signal })
    const body = await answer.json()
    if (!answer.ok) {
      fail(body.detail, Number(answer.headers.get('Retry-After')))
    } else {
      showFound(asked, body)
    }
  } catch (error) {
    if (!own.signal.aborted) {
      fail(`The catalog cannot be reached (${error}).`, 5)
    }
  } finally {
    if (underWay === own) {
      results.removeAttribute('aria-busy')
    }
  }
}

/** @param {string} why @param {number} retryAfterSeconds 0: asking again would not help */
function fail(why, retryAfterSeconds) {
  status.textContent = retryAfterSeconds > 0 ? `${why} Trying again in ${retryAfterSeconds} s.` : why
  if (retryAfterSeconds > 0) {
    pause = setTimeout(show, retryAfterSeconds * 1_000)
  }
}

/** @param {Asked} asked @param {Found} found */
function showFound(asked, { data, pagination, facets: counts }) {
  const { total, page, totalPages } = pagination
  status.textContent =
    total === 0
      ? 'Nothing found. Try fewer words.'
      : `${total.toLocaleString('en')} ${total === 1 ? 'skill' : 'skills'}`
  results.replaceChildren(...data.map(entry))
  filters.replaceChildren(
    ...facets.flatMap(([name, parameter, title]) => group(asked, parameter, title, counts?.[name])),
  )
  pages.replaceChildren(
    ...(page > 1 ? [button('Previous page', () => ask({ page: page - 1 }))] : []),
    ...(page < totalPages ? [button('Next page', () => ask({ page: page + 1 }))] : []),
  )
}

/** One skill among the results. @param {Skill} skill */
function entry(skill) {
  const item = document.createElement('li')
  const title = document.createElement('h2')
  const link = document.createElement('a')
  link.href = `/skills/${skill.id}`
  link.append(...marked(skill.highlights?.name, skill.name))
  title.append(link)
  const description = document.createElement('p')
  description.append(...marked(skill.highlights?.description, skill.description ?? ''))
  const facts = [
    skill.id,
    skill.stars === null ? '' : `★ ${skill.stars.toLocaleString('en')}`,
    skill.language ?? '',
    skill.license ?? '',
    skill.updatedAt === null ? '' : `updated ${skill.updatedAt.slice(0, 10)}`,
  ]
  const line = document.createElement('p')
  line.className = 'quiet'
  line.textContent = facts.filter((fact) => fact !== '').join(' · ')
  item.append(title, description, line)
  return item
}

/**
 * The API's HTML of a text with its matches, as nodes: texts and `<em>`, whatever else it might hold.
 *
 * @param {string | null | undefined} highlighted @param {string} plain
 * @returns {Node[]}
 */
function marked(highlighted, plain) {
  if (!highlighted) {
    return [document.createTextNode(plain)]
  }
  const parsed = new DOMParser().parseFromString(highlighted, 'text/html').body
  return [...parsed.childNodes].map((node) => {
    const text = node.textContent ?? ''
    if (node.nodeName !== 'EM') {
      return document.createTextNode(text)
    }
    const match = document.createElement('em')
    match.textContent = text
    return match
  })
}

/**
 * The values of one facet, as buttons that narrow the search; those that narrow it already come first.
 *
 * @param {Asked} asked @param {'topic' | 'language' | 'license' | 'owner'} parameter @param {string} title
 * @param {{ value: string, count: number }[]} [counted]
 */
function group(asked, parameter, title, counted = []) {
  const chosen = [asked[parameter]].flat().filter((value) => value !== '')
  const same = (/** @type {string} */ a, /** @type {string} */ b) => a.toLowerCase() === b.toLowerCase()
  const others = counted.filter(({ value }) => !chosen.some((one) => same(one, value))).slice(0, 8)
  if (chosen.length + others.length === 0) {
    return []
  }
  const set = document.createElement('fieldset')
  const legend = document.createElement('legend')
  legend.textContent = title
  set.append(legend)
  for (const value of chosen) {
    const left = parameter === 'topic' ? asked.topic.filter((one) => one !== value) : ''
    set.append(button(value, () => ask({ [parameter]: left }), true))
  }
  for (const { value, count } of others) {
    const wanted = parameter === 'topic' ? [...asked.topic, value] : value
    set.append(button(`${value} (${count.toLocaleString('en')})`, () => ask({ [parameter]: wanted }), false))
  }
  return [set]
}

/** @param {string} text @param {() => void} pressed @param {boolean} [on] whether it is pressed now */
function button(text, pressed, on) {
  const made = document.createElement('button')
  made.type = 'button'
  made.textContent = text
  if (on !== undefined) {
    made.setAttribute('aria-pressed', String(on))
  }
  made.addEventListener('click', pressed)
  return made
}

box.addEventListener('input', () => {
  clearTimeout(pause)
  pause = setTimeout(() => ask({ q: box.value }, true), pauseMs)
})
order.addEventListener('change', () => ask({ sort: order.value }))
element('search').addEventListener('submit', (event) => {
  event.preventDefault()
  ask({ q: box.value })
})
window.addEventListener('popstate', show)
document.addEventListener('keydown', (event) => {
  const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement
  if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault()
    box.focus()
  }
})
box.value = readAddress().q
void show()
