// @ts-check
/**
 * The explorer: searches while the user types, filters by facets, and keeps the state in the URL's fragment, so that a
 * search can be shared and the back button works. It uses only the public API, within its limits.
 *
 * @typedef {{ q: string, sort: string, page: number, topic: string[], license: string, language: string, owner: string }} State
 * @typedef {{ id: string, name: string, owner: string, repo: string, description: string | null, topics: string[],
 *   license: string | null, language: string | null, stars: number | null, updatedAt: string | null,
 *   highlights?: { name: string | null, description: string | null }, explanation?: Explanation }} Skill
 * @typedef {{ placement: string, words: { word: string, match: { kind: string, field: string } | null }[] }} Explanation
 * @typedef {{ data: Skill[], pagination: { total: number, totalIsLowerBound?: boolean, page: number, totalPages: number },
 *   facets?: Record<string, { value: string, count: number }[]> }} Found
 */

const pageSize = 20

/** Pause in typing before a request is sent: a request for every letter would use up the quota. */
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

/** The facets: name in the API, name of the filter parameter, title. */
const facets = /** @type {const} */ ([
  ['topics', 'topic', 'Topics'],
  ['language', 'language', 'Languages'],
  ['license', 'license', 'Licences'],
  ['owner', 'owner', 'Owners'],
])

/** @type {AbortController | null} */
let current = null
/** @type {ReturnType<typeof setTimeout> | undefined} */
let pause

/** @returns {State} */
function readState() {
  const query = new URLSearchParams(location.hash.slice(1))
  const text = (/** @type {string} */ name) => query.get(name) ?? ''
  return {
    q: text('q'),
    sort: text('sort'),
    page: Math.max(1, Number.parseInt(text('page'), 10) || 1),
    topic: query.getAll('topic'),
    license: text('license'),
    language: text('language'),
    owner: text('owner'),
  }
}

/** The state as query parameters, without empty ones. @param {State} state */
function parameters({ page, ...state }) {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(state)) {
    for (const one of [value].flat().filter((text) => text !== '')) {
      query.append(name, one)
    }
  }
  if (page > 1) {
    query.set('page', String(page))
  }
  return query
}

/** Changes the state and the URL, and searches again. @param {Partial<State>} changes @param {boolean} [typing] */
function change(changes, typing = false) {
  // The box may hold words that are newer than the URL.
  const hash = `#${parameters({ ...readState(), q: box.value, page: 1, ...changes })}`
  // While typing, the back button should not go back letter by letter.
  history[typing ? 'replaceState' : 'pushState'](null, '', hash === '#' ? location.pathname : hash)
  void show()
}

/** @param {State} state */
function urlOf(state) {
  const query = parameters(state)
  query.set('limit', String(pageSize))
  query.set('page', String(state.page))
  if (state.q.trim() === '') {
    query.delete('q')
    query.set('sort', state.sort || 'stars')
    return `/api/v1/skills?${query}`
  }
  query.set('highlight', 'true')
  query.set('explain', 'true')
  query.set('facets', facets.map(([name]) => name).join(','))
  return `/api/v1/skills/search?${query}`
}

/** Shows the state in the URL, with its words in the box. */
function showUrl() {
  box.value = readState().q
  void show()
}

/** Shows the results of the state in the URL. */
async function show() {
  clearTimeout(pause)
  current?.abort()
  const request = new AbortController()
  current = request
  const state = readState()
  order.value = state.sort
  results.setAttribute('aria-busy', 'true')
  try {
    const answer = await fetch(urlOf(state), { signal: request.signal })
    const body = await answer.json()
    if (!answer.ok) {
      fail(body.detail, Number(answer.headers.get('Retry-After')))
    } else {
      showFound(state, body)
    }
  } catch (error) {
    if (!request.signal.aborted) {
      fail(`The catalog is unreachable (${error}).`, 5)
    }
  } finally {
    if (current === request) {
      results.removeAttribute('aria-busy')
    }
  }
}

/** @param {string} why @param {number} retryAfterSeconds 0: a retry would not help */
function fail(why, retryAfterSeconds) {
  status.textContent = retryAfterSeconds > 0 ? `${why} Trying again in ${retryAfterSeconds} s.` : why
  if (retryAfterSeconds > 0) {
    pause = setTimeout(show, retryAfterSeconds * 1_000)
  }
}

/** @param {State} state @param {Found} found */
function showFound(state, { data, pagination, facets: counts }) {
  const { total, totalIsLowerBound, page, totalPages } = pagination
  const more = totalIsLowerBound ? ' or more' : ''
  status.textContent =
    total === 0
      ? 'Nothing found. Try fewer words.'
      : `${total.toLocaleString('en')}${more} ${total === 1 ? 'skill' : 'skills'}`
  results.replaceChildren(...data.map(entry))
  filters.replaceChildren(
    ...facets.flatMap(([name, parameter, title]) => group(state, parameter, title, counts?.[name])),
  )
  pages.replaceChildren(
    ...(page > 1 ? [button('Previous page', () => change({ page: page - 1 }))] : []),
    ...(page < totalPages ? [button('Next page', () => change({ page: page + 1 }))] : []),
  )
}

/** The list item of one skill. @param {Skill} skill */
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
  if (skill.explanation !== undefined) {
    item.append(reason(skill.explanation))
  }
  return item
}

/** Why a skill stands where it does, folded up. @param {Explanation} explanation */
function reason({ placement, words }) {
  const found = words.map(({ word, match }) => {
    const how = match === null ? 'not found' : `${match.kind === 'exact' ? '' : `${match.kind}, `}${match.field}`
    return `${word}: ${how}`
  })
  const details = document.createElement('details')
  details.className = 'quiet'
  const summary = document.createElement('summary')
  summary.textContent = 'Why here?'
  details.append(summary, [placement, ...found].join(' · '))
  return details
}

/**
 * Converts the API's highlighted HTML to nodes: only texts and `<em>`, all other elements become text.
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
 * The values of one facet as filter buttons, active ones first.
 *
 * @param {State} state @param {'topic' | 'language' | 'license' | 'owner'} parameter @param {string} title
 * @param {{ value: string, count: number }[]} [counted]
 */
function group(state, parameter, title, counted = []) {
  const chosen = [state[parameter]].flat().filter((value) => value !== '')
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
    const values = parameter === 'topic' ? state.topic.filter((one) => one !== value) : ''
    set.append(button(value, () => change({ [parameter]: values }), true))
  }
  for (const { value, count } of others) {
    const values = parameter === 'topic' ? [...state.topic, value] : value
    set.append(button(`${value} (${count.toLocaleString('en')})`, () => change({ [parameter]: values }), false))
  }
  return [set]
}

/** @param {string} text @param {() => void} pressed @param {boolean} [on] whether the filter is active */
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
  pause = setTimeout(() => change({}, true), pauseMs)
})
order.addEventListener('change', () => change({ sort: order.value }))
element('search').addEventListener('submit', (event) => {
  event.preventDefault()
  change({})
})
window.addEventListener('popstate', showUrl)
document.addEventListener('keydown', (event) => {
  const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement
  if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault()
    box.focus()
  }
})
showUrl()
