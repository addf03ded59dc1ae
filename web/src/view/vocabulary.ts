// The words that all views have in common. Pure.

/** What the two sides of a comparison are called. A and B are only the marks of their pickers. */
export const sideNames = { base: 'Before', head: 'After' } as const;

/** The two costs of what a row is about, such as a function or a line, and what go tool pprof calls them. */
export const COSTS = {
  flat: { title: 'Self', about: (what: string) => `In the ${what} itself: flat in pprof` },
  cum: { title: 'Total', about: (what: string) => `In the ${what} and what it calls: cum in pprof` },
} as const;
