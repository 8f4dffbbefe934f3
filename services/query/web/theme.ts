// Runs before the first paint, so that a chosen theme never flashes. A classic script: the block keeps its names local.
{
  const root = document.documentElement
  const key = 'theme'

  const kept = (): string | null => {
    try {
      return localStorage.getItem(key)
    } catch {
      // The browser stores nothing for this site.
      return null
    }
  }

  const show = (theme: string | null): void => {
    if (theme === 'light' || theme === 'dark') {
      root.dataset['theme'] = theme
    }
  }

  const systemDark = matchMedia('(prefers-color-scheme: dark)')

  const isDark = (): boolean => (root.dataset['theme'] ?? (systemDark.matches ? 'dark' : 'light')) === 'dark'

  // By this name, the stylesheet of the documentation knows dark colours.
  const nameDark = (): boolean => root.classList.toggle('dark-mode', isDark())

  show(kept())
  nameDark()
  systemDark.addEventListener('change', nameDark)
  root.dataset['scripts'] = 'on'

  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element) || target.closest('[data-switch-theme]') === null) {
      return
    }
    const next = isDark() ? 'light' : 'dark'
    show(next)
    nameDark()
    try {
      localStorage.setItem(key, next)
    } catch {
      // The theme lasts as long as the page.
    }
  })
}
