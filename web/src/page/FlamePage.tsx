// The page in a file: a flame graph with what belongs to it, and nothing that
// needs a server.

import '../view/app.css';
import '../view/header.css';
import './page.css';
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { isDiff, type Embedded } from '../model/tree';
import { formatCount } from '../model/units';
import { onKeyDown } from '../state/keys';
import { flagOn } from '../state/options';
import { go, reportQuery, setOption, state } from '../state/state';
import { dark, theme } from '../state/theme';
import { Controller } from '../view/flame/controller';
import { FlamePane } from '../view/flame/FlamePane';
import { savePicture, type PictureFormat } from '../view/flame/picture';
import { coloringOf } from '../view/flame/settings';
import type { Toggle } from '../view/flame/Toolbar';
import HelpDialog from '../view/HelpDialog';
import {
  copyText, Empty, FunctionMenuHost, IconButton, Mark, Menu, toast, ToastHost, TooltipHost, useKeys, type MenuItem,
} from '../view/parts';
import { Search } from '../view/Search';
import { embedded } from './embedded';

/** What can be done with a function, beside what the graph can do with a frame. */
const functionItems = (name: string): MenuItem[] => [
  { label: 'Copy name', icon: 'copy', run: () => void copyText(name, 'Name copied') },
];

/** Folds what is not yours, or shows it again. */
function yourCode(): Toggle {
  const on = Boolean(state.value.options.mine);
  return {
    label: 'Your code', about: 'Add the cost of libraries and the runtime to your functions that call them', keys: 'y', on,
    run: () => setOption('mine', on ? '' : flagOn('mine')),
  };
}

export function FlamePage({ data }: { data: Embedded }) {
  const [source] = useState(() => embedded(data));
  const [graph] = useState(() => new Controller(source));
  const [before] = useState(() => new Controller(source));
  const [help, setHelp] = useState(false);
  const now = state.value;
  const asking = reportQuery.value;
  const diff = isDiff(data);
  const first = data.trees[0]!;
  const turns = { inverted: data.trees.some((t) => t.inverted !== first.inverted), mine: data.trees.some((t) => t.mine !== first.mine) };
  const title = data.title || 'Flame graph';
  const note = useMemo(() => leftOut(data), [data]);
  const swapTheme = () => {
    theme.value = dark.peek() ? 'light' : 'dark';
  };

  useLayoutEffect(() => {
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  useKeys('Everywhere', [
    { keys: '/', label: 'Search', run: () => document.getElementById('search')?.focus() },
    { keys: 't', label: 'Light or dark', run: swapTheme },
    { keys: '?', label: 'Keys', run: () => setHelp(true) },
    { keys: 'Escape', label: 'Close, or clear the selection', run: () => (state.peek().fn ? go({ fn: '' }) : false) },
  ]);
  const save = (format: PictureFormat) =>
    () => void savePicture({ graph, callers: null, pivot: '', title, colors: coloringOf(now.own, diff), search: now.search }, format)
      .catch((err: Error) => toast(err.message, 'error'));

  return (
    <>
      <header class="page-header">
        <div class="page-title">
          <span class="brand"><Mark /><span class="visually-hidden">hone</span></span>
          <h1>{title}{!turns.inverted && first.inverted && ' (inverted)'}</h1>
        </div>
        <Facts data={data} />
        <div class="page-tools">
          <SampleType types={data.types} />
          <Search />
          <div class="header-actions">
            <Menu
              icon="download"
              label="Save as a picture"
              align="end"
              items={[
                { label: 'PNG', hint: 'A picture of this view', run: save('png') },
                { label: 'SVG', hint: 'The same as a vector graphic', run: save('svg') },
              ]}
            />
            <IconButton icon="contrast" label="Light or dark" keys="t" onClick={swapTheme} />
            <IconButton icon="help" label="Keys" keys="?" onClick={() => setHelp(true)} />
          </div>
        </div>
      </header>
      <main class="view-main">
        <FlamePane
          graph={graph}
          callers={null}
          before={before}
          offerApart
          state={now}
          asking={asking}
          diff={diff}
          without={{ inverted: !turns.inverted }}
          more={turns.mine ? [yourCode()] : []}
          note={note}
          empty={<Empty title="No samples"><p>The profile has none of this type.</p></Empty>}
        />
        <FunctionMenuHost itemsOf={functionItems} />
      </main>
      <ToastHost />
      <TooltipHost />
      {help && (
        <HelpDialog
          onClose={() => setHelp(false)}
          foot="Right-click a frame for more actions. The address keeps the current view."
        />
      )}
    </>
  );
}

/** What narrow frames became, if there were any. */
function leftOut(data: Embedded): string {
  const count = data.trees[0]!.folded?.reduce((sum, n) => sum + n, 0) ?? 0;
  return count === 0
    ? ''
    : `${formatCount(count)} narrow ${count === 1 ? 'frame is' : 'frames are'} left out of this file: `
      + 'their callers include them, and the search doesn’t find them.';
}

function Facts({ data }: { data: Embedded }) {
  return (
    <dl class="page-facts">
      {data.facts.map(([name, value]) => <div key={name}><dt>{name}</dt> <dd>{value}</dd></div>)}
    </dl>
  );
}

function SampleType({ types }: { types: Embedded['types'] }) {
  const wanted = state.value.options.sample_index;
  const label = (t: Embedded['types'][number]) => `${t.type}${t.unit && t.unit !== 'count' ? ` (${t.unit})` : ''}`;
  return (
    <label class="picklist sample-type">
      <span class="visually-hidden">Sample type</span>
      <select
        disabled={types.length < 2}
        value={types.some((t) => t.type === wanted) ? wanted : types[0]!.type}
        onChange={({ currentTarget: { value } }) => setOption('sample_index', value === types[0]!.type ? '' : value)}
      >
        {types.map((t) => <option key={t.type} value={t.type}>{label(t)}</option>)}
      </select>
    </label>
  );
}
