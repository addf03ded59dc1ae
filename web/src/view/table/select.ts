import { go } from '../../state/state';

/** Shows the source of a function: what Enter and a double click on a row do. */
export function openSource(name: string): void {
  go({ view: 'source', fn: name });
}
