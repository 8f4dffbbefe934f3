const shapes = {
  search: 'M10.5 3.5a7 7 0 1 0 0 14 7 7 0 0 0 0-14ZM15.8 15.8l4.7 4.7',
  star: 'm12 3.6 2.6 5.3 5.8.8-4.2 4.1 1 5.8-5.2-2.7-5.2 2.7 1-5.8L3.6 9.7l5.8-.8L12 3.6Z',
  theme: 'M20 14.2A8.3 8.3 0 1 1 9.8 4a6.6 6.6 0 0 0 10.2 10.2Z',
  close: 'M6 6l12 12M18 6 6 18',
  arrow: 'M5 12h14M13 6l6 6-6 6',
  copy: 'M9 9h10.5v10.5H9zM5.5 15H4.5V4.5H15v1',
  check: 'm5 12.5 4.5 4.5L19 7.5',
} as const

/** A picture next to a text that says the same. As all pictures, it has its size and its colours without a stylesheet. */
export const Icon = ({ name }: { name: keyof typeof shapes }) => (
  <svg
    class="icon"
    viewBox="0 0 24 24"
    width="20"
    height="20"
    fill="none"
    stroke="currentcolor"
    stroke-width="1.8"
    aria-hidden="true"
  >
    <path d={shapes[name]} />
  </svg>
)
