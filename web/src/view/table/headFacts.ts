// What the server prints above a table or graph, in words for below it. Pure.

import { figureText } from '../../api/figures';
import { plural } from './format';

/** Sentences on what is shown and left out; filters have chips of their own. compared: values are changes. */
export function headFacts(header: readonly string[], compared: boolean): string[] {
  return header.flatMap((line) => {
    const [, sum, share, total] = /^Showing nodes accounting for (.+), (.+) of (.+) total$/.exec(line) ?? [];
    if (sum && share && total) {
      if (sum === total) return []; // they are all there is
      return compared
        ? `Together they changed by ${figureText(sum)}, ${share} of the total before, ${figureText(total)}`
        : `Together they have ${figureText(sum)} of ${figureText(total)}, ${share}`;
    }
    const [, count, what, least] = /^Dropped (\d+) (node|edge)s? \(\w+ <= (.+)\)$/.exec(line) ?? [];
    if (count && what && least) {
      return `${plural(Number(count), what === 'node' ? 'function' : 'call')} of ${figureText(least)} or less left out`;
    }
    const [, shown, all] = /^Showing top (\d+) nodes out of (\d+)$/.exec(line) ?? [];
    return shown && all ? `The first ${shown} of ${plural(Number(all), 'function')}` : [];
  });
}
