// Renews the elements with data-live, while the box is checked. Without this script the page has a link for that.

const everyMs = 5_000

const box = document.createElement('input')
box.type = 'checkbox'
box.checked = true
const place = document.querySelector('.renewal')
if (place !== null) {
  const label = document.createElement('label')
  label.append(box, ` every ${everyMs / 1_000} seconds`)
  place.append(' ', label)
  setInterval(() => void renew(), everyMs)
}

async function renew() {
  if (!box.checked || document.hidden) {
    return
  }
  try {
    const response = await fetch('/', { headers: { Accept: 'text/html' } })
    if (!response.ok) {
      throw new Error(`${response.status}`)
    }
    const fresh = new DOMParser().parseFromString(await response.text(), 'text/html')
    for (const old of document.querySelectorAll('[data-live]')) {
      const next = fresh.getElementById(old.id)
      // What has the focus stays in place.
      if (next !== null && next.innerHTML !== old.innerHTML && !old.contains(document.activeElement)) {
        old.replaceChildren(...next.childNodes)
      }
    }
  } catch {
    const asOf = document.getElementById('as-of')
    if (asOf !== null && !asOf.textContent.startsWith('Not')) {
      asOf.textContent = `Not renewed: the service does not answer, or the session has ended. ${asOf.textContent}`
    }
  }
}
