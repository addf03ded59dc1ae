// The flame graph with all that belongs to it: options, breadcrumb, legend,
// details, minimap, search, keys.

import './flame.css';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { addExport } from '../../state/exports';
import { exactly } from '../../state/pattern';
import { asked, refused } from '../../state/report';
import { go, href, nextMatch, reportQuery, setOwn, state as current, type State } from '../../state/state';
import { dark } from '../../state/theme';
import type { ColorBy } from '../../theme/frames';
import { Button, Empty, toast, useKeys, Warnings, type MenuItem } from '../parts';
import type { ViewProps } from '../views';
import { Breadcrumb } from './Breadcrumb';
import { Controller } from './controller';
import type { Words } from './describe';
import { Details } from './Details';
import { FlameGraph } from './FlameGraph';
import { Legend } from './Legend';
import { Minimap } from './Minimap';
import { download, picture } from './picture';
import type { Spot } from './spot';
import { COLORINGS, Toolbar, type Toggle } from './Toolbar';
import { useSearch } from './useSearch';

/** Filters that may leave nothing. */
const FILTERS = ['focus', 'ignore', 'hide', 'show', 'show_from', 'prune_from', 'tagfocus', 'tagignore'] as const;

export default function FlameView({ info, state }: ViewProps) {
  const { own, search } = state;
  const [graph] = useState(() => new Controller());
  const [callers] = useState(() => new Controller());
  const pivot = own.pivot ?? '';
  const flip = own.flip === '1' && pivot === '';
  const inverted = own.inverted === '1' && pivot === '';
  const collapse = own.collapse === '1';

  const asking = reportQuery.value;
  const query = useMemo(() => queryWith(asking, { inverted, collapse, pivot }), [asking, inverted, collapse, pivot]);
  const above = useMemo(() => {
    const q = new URLSearchParams(query);
    q.set('side', 'callers');
    return q;
  }, [query]);
  useEffect(() => {
    asked.set('flame', query);
  }, [query]);

  const model = graph.whole.value;
  const diff = model?.about.diff ?? state.base.length > 0;
  const wanted = COLORINGS.find((c) => c.by === own.color)?.by;
  const colors: ColorBy = wanted && (diff || wanted !== 'change') ? wanted : diff ? 'change' : 'package';
  const matcher = useSearch(graph, query, search);

  const onZoom = (zoom: string, how: 'push' | 'replace') => {
    const { zoom: _, ...rest } = current.peek().own;
    const name = zoom.slice(zoom.indexOf(':') + 1);
    // A frame that was clicked is the function other views are about, too.
    go({ own: zoom === '' ? rest : { ...rest, zoom }, ...(how === 'push' && name !== '' ? { fn: name } : {}) }, how);
  };
  const toggle = (name: 'inverted' | 'flip' | 'collapse') => () => setOwn(name, own[name] === '1' ? '' : '1');
  const toggles: Toggle[] = [
    ...(pivot === '' ? [
      { label: 'Inverted', about: 'From the innermost functions out: who calls what is hot', keys: 'i', on: inverted, run: toggle('inverted') },
      { label: 'Flip', about: 'Root at the bottom', keys: 'f', on: flip, run: toggle('flip') },
    ] : []),
    { label: 'Collapse', about: 'A function that calls itself as one frame', keys: 'c', on: collapse, run: toggle('collapse') },
  ];
  const menu = (spot: Spot): MenuItem[] => [
    spot.name === pivot
      ? { label: 'Leave the pivot', icon: 'swap', run: () => setOwn('pivot', '') }
      : { label: 'Pivot', hint: 'Callers above, callees below', icon: 'swap', keys: 'v', run: () => startPivot(spot.name) },
    { label: 'Mark everywhere', icon: 'search', run: () => go({ search: exactly(spot.name) }) },
  ];

  useFlameKeys(graph, toggles);
  useMessages(graph);
  useEffect(() => addExport({
    label: 'PNG',
    hint: 'A picture of what is shown',
    run: () => {
      const title = info.name.split('/').at(-1)!;
      const about = graph.whole.peek()?.about;
      picture(graph, {
        title, colors, dark: dark.peek(), width: Math.max(graph.width, 900),
        facts: about ? `${about.type} · ${graph.path.peek().at(-1)?.name ?? 'all'} · ${about.totalText}` : '',
      }).then((blob) => download(blob, `${title}.png`), (err: Error) => toast(err.message, 'error'));
    },
  }), [graph, info.name, colors]);

  const words: Words | null = model && {
    about: model.about,
    unit: query.get('unit') || 'auto',
    zoomed: graph.path.value.at(-1) ?? null,
  };
  const shared = { colors, matcher, menu, selected: state.fn, onSelect: (name: string) => go({ fn: name }, 'replace') };
  const tableHref = href({ ...state, view: 'top' });
  const empty = <NoSamples state={state} />;
  return (
    <div class="flame-view">
      <div class="flame-bar">
        {pivot === '' ? <Breadcrumb graph={graph} /> : (
          <p class="flame-pivot">
            <span class="soft">Callers and callees of</span> <b>{pivot}</b>
            <Button icon="close" kind="plain" onClick={() => setOwn('pivot', '')}>Leave</Button>
          </p>
        )}
        <Toolbar graph={graph} colors={colors} diff={diff} toggles={toggles} tableHref={tableHref} onColors={(by) => setOwn('color', by)} />
      </div>
      <Warnings warnings={graph.warnings.value} />
      <div class="flame-body">
        {pivot !== '' && (
          <div class="flame-callers">
            <FlameGraph {...shared} controller={callers} query={above} flip skip={2} label="Callers, as a flame graph" empty={empty} />
          </div>
        )}
        <div class="flame-main">
          <FlameGraph
            {...shared}
            controller={graph}
            query={query}
            flip={flip}
            skip={pivot === '' ? 0 : 1}
            zoom={own.zoom ?? ''}
            onZoom={onZoom}
            label={pivot === '' ? 'Flame graph' : 'Callees, as a flame graph'}
            empty={empty}
          />
          <Minimap graph={graph} colors={colors} />
        </div>
      </div>
      <div class="flame-foot">
        <Details graphs={pivot === '' ? [graph] : [callers, graph]} words={words} />
        {model ? <Legend model={model} colors={colors} /> : <div class="flame-legend" />}
      </div>
    </div>
  );
}

function queryWith(asking: URLSearchParams, o: { inverted: boolean; collapse: boolean; pivot: string }): URLSearchParams {
  const q = new URLSearchParams(asking);
  if (o.inverted) q.set('inverted', '1');
  if (o.collapse) q.set('collapse', '1');
  if (o.pivot) q.set('pivot', o.pivot);
  return q;
}

/** A pivot has a graph of its own, so that the zoom of the other means nothing there. */
function startPivot(name: string): void {
  const { zoom: _, ...rest } = current.peek().own;
  go({ own: { ...rest, pivot: name }, fn: name });
}

function useFlameKeys(graph: Controller, toggles: readonly Toggle[]): void {
  const move = (direction: 'up' | 'down' | 'left' | 'right') => () => {
    graph.showFocus(true);
    graph.moveFocus(direction);
  };
  useKeys('Flame graph', [
    { keys: 'ArrowUp', label: 'To the frame above', run: move('up') },
    { keys: 'ArrowDown', label: 'To the frame below', run: move('down') },
    { keys: 'ArrowLeft', label: 'To the frame on the left', run: move('left') },
    { keys: 'ArrowRight', label: 'To the frame on the right', run: move('right') },
    {
      keys: 'Enter',
      label: 'Zoom to the frame in focus',
      run: () => {
        const spot = graph.focus.peek();
        if (!spot) return false;
        graph.zoomTo(spot);
        return true;
      },
    },
    { keys: 'Escape|Backspace', label: 'Zoom out by a frame', run: () => graph.zoomOut() },
    { keys: '0|Home', label: 'Show all', run: () => graph.showAll() },
    { keys: '+|=|w', label: 'Zoom in', run: () => graph.zoomBy(0.6, 0.5, true) },
    { keys: '-|s', label: 'Zoom out', run: () => graph.zoomBy(1 / 0.6, 0.5, true) },
    { keys: 'a', label: 'Move left', run: () => graph.panBy(-0.2, true) },
    { keys: 'd', label: 'Move right', run: () => graph.panBy(0.2, true) },
    { keys: 'PageDown', label: 'Scroll down', run: () => graph.scrollBy(graph.height * 0.8) },
    { keys: 'PageUp', label: 'Scroll up', run: () => graph.scrollBy(-graph.height * 0.8) },
    { keys: 'n', label: 'Next match', run: () => (nextMatch.peek() ? nextMatch.peek()!(1) : false) },
    { keys: 'N', label: 'Previous match', run: () => (nextMatch.peek() ? nextMatch.peek()!(-1) : false) },
    {
      keys: 'v',
      label: 'Pivot on the frame in focus: callers above, callees below',
      run: () => {
        const name = graph.focus.peek()?.name ?? current.peek().fn;
        if (current.peek().own.pivot) setOwn('pivot', '');
        else if (name) startPivot(name);
        else return false;
        return true;
      },
    },
    ...toggles.map((t) => ({ keys: t.keys, label: `${t.label}: ${t.about}`, run: t.run })),
  ]);
}

/** Tells what the graph wants told: a link that leads nowhere, an option that was refused. */
function useMessages(graph: Controller): void {
  const note = graph.note.value;
  useEffect(() => {
    if (note === '') return;
    toast(note);
    graph.note.value = '';
  }, [graph, note]);
  const error = graph.error.value;
  useEffect(() => {
    if (error?.param !== undefined) {
      refused.value = { param: error.param, value: reportQuery.peek().get(error.param) ?? '', message: error.message };
    } else if (!error) refused.value = null;
  }, [error]);
}

function NoSamples({ state }: { state: State }) {
  const set = FILTERS.filter((name) => state.options[name]);
  if (set.length === 0) {
    return <Empty title="No samples"><p>The profile has none of this type. Choose another sample type above.</p></Empty>;
  }
  const reset = () => {
    go({ options: Object.fromEntries(Object.entries(state.options).filter(([name]) => !set.includes(name as (typeof FILTERS)[number]))) });
  };
  return (
    <Empty title="No samples left" icon="filter">
      <p>{set.map((name) => `${name}=${state.options[name]}`).join(', ')} leaves none.</p>
      <Button icon="reset" onClick={reset}>{set.length === 1 ? 'Remove the filter' : 'Remove these filters'}</Button>
    </Empty>
  );
}
