// Flame graphs out of the page's own data.

import { signal } from '@preact/signals';
import { ApiError } from '../api/client';
import type { FlameWidths } from '../api/types';
import { nodeWithID, type FlameModel } from '../model/model';
import { tester } from '../model/pattern';
import { collapse, frameTable, modelOf, readTree, searchModel, windowOf, type Embedded, type Tree } from '../model/tree';
import type { FlameSource } from '../view/flame/source';

/** The source of a page's graphs; each is made when it is first looked at. */
export function embedded(data: Embedded): FlameSource {
  const frames = frameTable(data);
  const trees = new Map<string, Tree>();
  const models = new Map<string, FlameModel>();
  const made = <T>(of: Map<string, T>, key: string, make: () => T): T => {
    let value = of.get(key);
    if (value === undefined) of.set(key, (value = make()));
    return value;
  };

  const treeOf = (inverted: boolean, mine: boolean, collapsed: boolean): Tree => made(trees, `${inverted} ${mine} ${collapsed}`, () => {
    if (collapsed) return collapse(treeOf(inverted, mine, false));
    const turned = data.trees.filter((t) => t.inverted === inverted);
    return readTree(data, turned.find((t) => (t.mine ?? false) === mine) ?? turned[0] ?? data.trees[0]!);
  });

  const widthsIn = (query: URLSearchParams) => (query.get('widths') ?? 'both') as FlameWidths;
  const wholeOf = (query: URLSearchParams, widths = widthsIn(query)): FlameModel => {
    const inverted = query.get('inverted') === '1';
    const collapsed = query.get('collapse') === '1';
    const type = Math.max(data.types.findIndex((t) => t.type === query.get('sample_index')), 0);
    const mine = query.has('mine');
    const key = `${inverted} ${mine} ${collapsed} ${type} ${widths}`;
    return made(models, key, () => modelOf(data, frames, treeOf(inverted, mine, collapsed), type, widths));
  };

  return {
    async window(query, { from, to, node, width }) {
      const whole = wholeOf(query);
      let [left, right] = [from ?? 0, to ?? whole.to];
      if (node !== undefined) {
        const n = nodeWithID(whole, node);
        if (n < 0) throw new ApiError(400, `unknown node ${node}`, 'node');
        left = whole.x[n]!;
        right = left + whole.width[n]!;
      }
      return { model: windowOf(whole, left, right, width), warnings: data.warnings };
    },
    async search(query, pattern) {
      const test = tester(pattern);
      if (!test) throw new ApiError(400, 'pattern not supported without a server', 'query');
      return searchModel(wholeOf(query), test, wholeOf(query, 'both'));
    },
    reachable: signal(true),
  };
}
