// What makes the two sides of a comparison comparable, in the words that tell of it. Pure.

import { isSelection, parseSelection } from './selection';
import type { State } from './state';

export interface Comparable {
  /** What values are of: "Per request"; '' if that goes without saying. */
  lead: '' | 'Per operation' | 'Per request' | 'At the same load';
  /** Values are means of instances, if there are several. */
  means: boolean;
}

export function comparableOf({ profile: [id], options }: Pick<State, 'profile' | 'options'>): Comparable {
  const per = isSelection(id) ? parseSelection(id, 0).per : null;
  const scaled = options.normalize === 'true' && options.base_total !== undefined;
  return {
    lead: scaled ? (per === null ? 'Per operation' : 'At the same load') : per === 'request' ? 'Per request' : '',
    means: per === 'second' || per === 'profile',
  };
}
