// The words that all views have in common. Pure.

/** What the two sides of a comparison are called. A and B are only the marks of their pickers. */
export const sideNames = { base: 'Before', head: 'After' } as const;
