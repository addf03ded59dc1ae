// The icons, drawn on a grid of 16 with lines of 1.5 units.

const paths = {
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 0 1 0-9M10.3 10.3L14 14',
  close: 'M4 4l8 8M12 4l-8 8',
  down: 'M4 6.2l4 4l4-4',
  up: 'M4 9.8l4-4l4 4',
  left: 'M9.8 4l-4 4l4 4',
  right: 'M6.2 4l4 4l-4 4',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  check: 'M3 8.5l3.2 3.2L13 4.8',
  download: 'M8 2.5v7.5M4.8 7L8 10.2L11.2 7M2.8 13.2h10.4',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  terminal: 'M2.5 4l4 4l-4 4M8 12.5h5.5',
  bookmark: 'M4 2.5h8v11l-4-3l-4 3z',
  sun: 'M8 5.2a2.8 2.8 0 1 1 0 5.6a2.8 2.8 0 0 1 0-5.6'
    + 'M8 1.2v1.4M8 13.4v1.4M1.2 8h1.4M13.4 8h1.4M3.2 3.2l1 1M11.8 11.8l1 1M3.2 12.8l1-1M11.8 4.2l1-1',
  moon: 'M13.2 9.6A5.6 5.6 0 1 1 6.4 2.8a4.6 4.6 0 0 0 6.8 6.8z',
  contrast: 'M8 2.2a5.8 5.8 0 1 1 0 11.6a5.8 5.8 0 0 1 0-11.6M8 2.2v11.6M8 5.5h4.9M8 8h5.7M8 10.5h4.9',
  help: 'M5.8 6a2.3 2.3 0 1 1 3.5 2c-.9.5-1.3.9-1.3 1.8M8 12.4v.3',
  info: 'M8 2.2a5.8 5.8 0 1 1 0 11.6a5.8 5.8 0 0 1 0-11.6M8 7.3v3.6M8 4.9v.3',
  swap: 'M3 5.5h9.5M10 3l2.5 2.5L10 8M13 10.5H3.5M6 8l-2.5 2.5L6 13',
  bulb: 'M5.8 11.2v-1.4a4.3 4.3 0 1 1 4.4 0v1.4zM6.4 13.8h3.2',
  warning: 'M8 2.4l6 11H2zM8 6.6v3.2M8 11.6v.2',
  filter: 'M2.5 3.5h11L9.3 8.6v4.4l-2.6-1.4v-3z',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  file: 'M4 1.8h5l3.2 3.2v9.2H4zM9 1.8v3.2h3.2',
  trash: 'M2.8 4.2h10.4M6.2 4.2v-1.7h3.6v1.7M4.2 4.2l.6 9.3h6.4l.6-9.3',
  pencil: 'M3 13l.6-2.8l7.2-7.2l2.2 2.2l-7.2 7.2z',
  link: 'M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.2-2.2a2.6 2.6 0 0 0-3.7-3.7l-.9.9M9.2 6.8a2.6 2.6 0 0 0-3.7 0l-2.2 2.2a2.6 2.6 0 0 0 3.7 3.7l.9-.9',
  external: 'M6.5 3.5h-3v9h9v-3M9 2.8h4.2V7M13 3L7.5 8.5',
  reset: 'M3.2 6.2A5.3 5.3 0 1 1 2.7 8.8M2.8 2.8v3.5h3.5',
  compare: 'M6.5 3h-4v10h4M9.5 3h4v10h-4M8 1.5v13',
  target: 'M8 3.2a4.8 4.8 0 1 1 0 9.6a4.8 4.8 0 0 1 0-9.6M8 1v3.5M8 11.5V15M1 8h3.5M11.5 8H15',
  fit: 'M2.5 6v-3.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  chart: 'M2 13.5h12M2.5 10.5l3.5-4l3 2.5l4.5-6',
  list: 'M2.5 4h2M6.5 4h7M2.5 8h2M6.500 8h7M2.5 12h2M6.5 12h7',
  flame: 'M2 3.500h12M2 8h8M2 12.500h4',
  code: 'M5.500 4.500l-3.500 3.500l3.500 3.500M10.500 4.500l3.500 3.500l-3.500 3.500',
  columns: 'M2.500 2.800h4.500v10.400h-4.500zM9 2.800h4.500v10.400h-4.500z',
  clock: 'M8 2.2a5.8 5.8 0 1 1 0 11.6a5.8 5.8 0 0 1 0-11.6M8 4.8V8l2.3 1.5',
  user: 'M8 2.5a2.7 2.7 0 1 1 0 5.4a2.7 2.7 0 0 1 0-5.4M2.8 13.5c.5-2.700 2.400-4 5.200-4s4.700 1.300 5.200 4',
  eye: 'M1.5 8c1.6-2.9 3.8-4.4 6.5-4.4s4.9 1.5 6.5 4.4c-1.6 2.9-3.8 4.4-6.5 4.4S3.100 10.900 1.500 8'
    + 'M8 6.200a1.800 1.800 0 1 1 0 3.600a1.800 1.800 0 0 1 0-3.600',
} as const;

export type IconName = keyof typeof paths;

/** An icon is decoration: what it means is said by its button's label. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}

/** hone's mark: bars that get shorter, a flame graph and a whetted edge at once. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true" focusable="false">
      <rect class="mark-ground" width="32" height="32" rx="7" />
      <path
        class="mark-bars"
        d={'M7 7h18a1 1 0 0 1 1 1v3a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1z'
          + 'm0 6.500h12a1 1 0 0 1 1 1v3a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1v-3a1 1 0 0 1 1-1z'
          + 'm0 6.500h5a1 1 0 0 1 1 1v3a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1v-3a1 1 0 0 1 1-1z'}
      />
    </svg>
  );
}
