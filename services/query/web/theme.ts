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

  const isDark = (): boolean =>
    (root.dataset['theme'] ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark'

  show(kept())
  root.dataset['scripts'] = 'on'

  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element) || target.closest('[data-switch-theme]') === null) {
      return
    }
    const next = isDark() ? 'light' : 'dark'
    show(next)
    try {
      localStorage.setItem(key, next)
    } catch {
      // The theme lasts as long as the page.
    }
  })
}
