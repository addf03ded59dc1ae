// Queries of the tabular reports.

import type { State } from '../../state/state';

/** A copy of a query with more parameters; '' and undefined leave one out. */
export function extend(query: URLSearchParams, params: Readonly<Record<string, string | undefined>>): URLSearchParams {
  const q = new URLSearchParams(query);
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== '') q.set(name, value);
  }
  return q;
}

const TRIMMING = ['nodecount', 'nodefraction', 'edgefraction', 'trim'] as const;

/**
 * Asks for all rows unless the user wants fewer. The figures of a row are the
 * same either way.
 */
export function untrimmed(query: URLSearchParams, options: State['options']): URLSearchParams {
  if (TRIMMING.some((name) => options[name] !== undefined)) {
    return extend(query, { nodecount: options['nodecount'] ?? '0' });
  }
  return extend(query, { nodecount: '0', trim: 'false' });
}
