// The flame graph with all that belongs to it: options, breadcrumb, legend,
// details, minimap, search, keys. It does not know where the graph comes from.

import './flame.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { FlameWidths } from '../../api/types';
import { exactly, patternOf } from '../../state/pattern';
import { go, nextMatch, setOwn, state as current, type State } from '../../state/state';
import { Button, toast, useKeys, Warnings, type MenuItem } from '../parts';
import { Breadcrumb } from './Breadcrumb';
import { formatRate, rateOf } from '../../model/units';
import type { Controller } from './controller';
import type { Words } from './describe';
import { Details } from './Details';
import { FlameGraph } from './FlameGraph';
import { Legend } from './Legend';
import { Minimap } from './Minimap';
import { coloringOf, flameQuery, keepColoring, settingsOf, SIDES } from './settings';
import type { Spot } from './spot';
import { Toolbar, WIDTHS, type Toggle } from './Toolbar';
import { useSearch } from './useSearch';
import { sideNames } from '../vocabulary';

export interface FlamePaneProps {
  graph: Controller;
  /** The graph above, of the callers of a pivot; null where the source knows of none. */
  callers: Controller | null;
  /** The graph of a comparison's base, next to this one. */
  before: Controller;
  state: State;
  /** What is asked of its source, without the settings of the graph. */
  asking: URLSearchParams;
  /** Whether it is a comparison, until the graph itself tells. */
  diff: boolean;
  /** What the source can't do. */
  without?: { inverted?: boolean };
  /** Whether this pane, rather than the bar above, has the button for both sides. */
  offerApart?: boolean;
  /** What else its source can be asked for. */
  more?: readonly Toggle[];
  /** Where the same is shown as a table. */
  tableHref?: string;
  /** Whether the table is next to the graph instead, and how to toggle it. */
  table?: { on: boolean; toggle: () => void } | undefined;
  /** Told with how to use it, while there is no frame to tell about. */
  note?: string;
  /** Instead of a graph without samples. */
  empty: ComponentChildren;
}

export function FlamePane({
  graph, callers, before, state, asking, diff: expectDiff, without = {}, offerApart = false, more = [], tableHref, table, note, empty,
}: FlamePaneProps) {
  const { own, search } = state;
  const settings = settingsOf(own);
  const { pivot, inverted, flip, collapse, widths, sides } = settings;

  const apart = sides && (graph.whole.value?.about.diff ?? expectDiff);
  const of = (side: FlameWidths) => flameQuery(asking, { ...settings, widths: side });
  const query = useMemo(() => of(apart ? 'head' : widths), [asking, inverted, collapse, pivot, widths, apart]);
  const beside = useMemo(() => of('base'), [asking, inverted, collapse, pivot]);
  const above = useMemo(() => {
    const q = new URLSearchParams(query);
    q.set('side', 'callers');
    return q;
  }, [query]);

  const model = graph.whole.value;
  const diff = model?.about.diff ?? expectDiff;
  const colors = coloringOf(own, diff);
  const matcher = useSearch(graph, query, patternOf(search));

  const onZoom = (zoom: string, how: 'push' | 'replace') => {
    const { zoom: _, ...rest } = current.peek().own;
    const name = zoom.slice(zoom.indexOf(':') + 1);
    // A frame that was clicked is the function other views are about, too.
    go({ own: zoom === '' ? rest : { ...rest, zoom }, ...(how === 'push' && name !== '' ? { fn: name } : {}) }, how);
  };
  const toggle = (name: 'inverted' | 'flip' | 'collapse') => () => setOwn(name, own[name] === '1' ? '' : '1');
  const toggles: Toggle[] = [
    ...more,
    ...(pivot === '' && !without.inverted ? [
      {
        label: 'Inverted', about: 'Hot functions at the root, with their callers', keys: 'i', on: inverted,
        run: toggle('inverted'),
      },
    ] : []),
    ...(pivot === '' ? [{ label: 'Flip', about: 'Root at the bottom', keys: 'f', on: flip, run: toggle('flip') }] : []),
    { label: 'Collapse', about: 'Direct recursion as one frame', keys: 'c', on: collapse, run: toggle('collapse') },
    ...(table ? [
      { label: 'Table', about: 'The same numbers in a table next to it', keys: 't', on: table.on, run: table.toggle },
    ] : []),
  ];
  const menu = (spot: Spot): MenuItem[] => [
    ...(!callers ? [] : [spot.name === pivot
      ? { label: 'Leave the pivot', icon: 'swap' as const, run: () => setOwn('pivot', '') }
      : { label: 'Pivot', hint: 'Callers above, callees below', icon: 'swap' as const, keys: 'v', run: () => startPivot(spot.name) }]),
    { label: 'Mark everywhere', icon: 'search', run: () => go({ search: exactly(spot.name) }) },
  ];

  const setWidths = (to: FlameWidths | 'sides') => setOwn('widths', to === 'both' ? '' : to);
  const turnSides = () => setWidths(WIDTHS[(WIDTHS.findIndex((w) => w.widths === widths) + 1) % WIDTHS.length]!.widths);
  useFlameKeys(graph, toggles, callers !== null, diff ? { turn: turnSides, apart: () => setWidths(apart ? 'both' : SIDES) } : null);
  useNote(graph);

  const words: Words | null = model && {
    about: model.about,
    unit: query.get('unit') || 'auto',
    zoomed: graph.path.value.at(-1) ?? null,
  };
  const shared = { colors, matcher, menu, empty, selected: state.fn, onSelect: (name: string) => go({ fn: name }, 'replace') };
  return (
    <div class="flame-view">
      <div class="flame-bar">
        {pivot === '' ? <Breadcrumb graph={graph} /> : (
          <p class="flame-pivot">
            <span class="soft">Callers and callees of</span> <b>{pivot}</b>
            <Button icon="close" kind="plain" onClick={() => setOwn('pivot', '')}>Leave</Button>
          </p>
        )}
        <Toolbar
          graph={graph}
          colors={colors}
          diff={diff}
          toggles={toggles}
          tableHref={table ? undefined : tableHref}
          onColors={(by) => { keepColoring(by, diff); setOwn('color', by); }}
          widths={apart ? SIDES : widths}
          onWidths={setWidths}
          offerApart={offerApart}
        />
      </div>
      <Warnings warnings={graph.warnings.value} />
      <Minimap graph={graph} colors={colors} />
      <div class={apart ? 'flame-body flame-apart' : 'flame-body'}>
        {callers && pivot !== '' && !apart && (
          <div class="flame-callers">
            <FlameGraph {...shared} controller={callers} query={above} flip skip={2} label="Callers, as a flame graph" />
          </div>
        )}
        {apart && (
          <div class="flame-before">
            <SideTitle graph={before} side="A" />
            <FlameGraph
              {...shared}
              controller={before}
              query={beside}
              flip={flip}
              skip={pivot === '' ? 0 : 1}
              zoom={own.zoom ?? ''}
              onZoom={onZoom}
              label={`${sideNames.base}, as a flame graph`}
            />
          </div>
        )}
        <div class="flame-main">
          {apart && <SideTitle graph={graph} side="B" />}
          <FlameGraph
            {...shared}
            controller={graph}
            query={query}
            flip={flip}
            skip={pivot === '' ? 0 : 1}
            zoom={own.zoom ?? ''}
            onZoom={onZoom}
            label={apart ? `${sideNames.head}, as a flame graph` : pivot === '' ? 'Flame graph' : 'Callees, as a flame graph'}
          />
        </div>
      </div>
      <div class="flame-foot">
        <Details graphs={apart ? [before, graph] : callers && pivot !== '' ? [callers, graph] : [graph]} words={words} note={note} />
        {model ? <Legend model={model} colors={colors} widths={apart ? 'both' : model.about.widths} /> : <div class="flame-legend" />}
      </div>
    </div>
  );
}

/** Shows the callers and callees of a frame: only the server's page has such a view. */
function sandwich(graph: Controller): boolean {
  const fn = [graph.hover.peek(), graph.focus.peek()].find((spot) => spot?.kind === 'frame')?.name ?? current.peek().fn;
  if (!fn) return false;
  go({ view: 'sandwich', fn });
  return true;
}

/** Which side a graph shows, and a bar for its total. Both bars have one scale. */
function SideTitle({ graph, side }: { graph: Controller; side: 'A' | 'B' }) {
  const about = graph.whole.value?.about;
  const [base, head] = about ? [about.whole.base, about.whole.head] : [0, 0];
  const own = side === 'A' ? base : head;
  return (
    <p class="flame-side">
      <span class="flame-side-mark">{side}</span> {side === 'A' ? sideNames.base : sideNames.head}
      <b class="num">{about && formatRate(own, about.unit, 'auto', rateOf(about))}</b>
      <i aria-hidden="true" style={{ '--share': `${(100 * own) / (Math.max(base, head) || 1)}%` }} />
    </p>
  );
}

/** A pivot has a graph of its own, so that the zoom of the other means nothing there. */
function startPivot(name: string): void {
  const { zoom: _, ...rest } = current.peek().own;
  go({ own: { ...rest, pivot: name }, fn: name });
}

function useFlameKeys(
  graph: Controller, toggles: readonly Toggle[], pivots: boolean, compared: { turn: () => void; apart: () => void } | null,
): void {
  const move = (direction: 'up' | 'down' | 'left' | 'right') => () => {
    graph.showFocus(true);
    graph.moveFocus(direction);
  };
  useKeys('Flame graph', [
    { keys: 'ArrowUp', label: 'Go to the frame above', run: move('up') },
    { keys: 'ArrowDown', label: 'Go to the frame below', run: move('down') },
    { keys: 'ArrowLeft', label: 'Go to the frame on the left', run: move('left') },
    { keys: 'ArrowRight', label: 'Go to the frame on the right', run: move('right') },
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
    { keys: 'Escape|Backspace', label: 'Zoom out to the caller', run: () => graph.zoomOut() },
    { keys: '0|Home', label: 'Show all', run: () => graph.showAll() },
    { keys: '+|=|w', label: 'Zoom in', run: () => graph.zoomBy(0.6, 0.5, true) },
    { keys: '-|s', label: 'Zoom out', run: () => graph.zoomBy(1 / 0.6, 0.5, true) },
    { keys: 'a', label: 'Move left', run: () => graph.panBy(-0.2, true) },
    { keys: 'd', label: 'Move right', run: () => graph.panBy(0.2, true) },
    { keys: 'PageDown', label: 'Scroll down', run: () => graph.scrollBy(graph.height * 0.8) },
    { keys: 'PageUp', label: 'Scroll up', run: () => graph.scrollBy(-graph.height * 0.8) },
    { keys: 'n', label: 'Next match', run: () => (nextMatch.peek() ? nextMatch.peek()!(1) : false) },
    { keys: 'N', label: 'Previous match', run: () => (nextMatch.peek() ? nextMatch.peek()!(-1) : false) },
    ...(pivots ? [{ keys: 'S', label: 'Callers and callees of the frame at the pointer, or in focus', run: () => sandwich(graph) }] : []),
    ...(compared ? [
      { keys: 'x', label: 'Before, both sides, after', run: compared.turn },
      { keys: 'X', label: 'Both graphs side by side, or one for the difference', run: compared.apart },
    ] : []),
    ...(pivots ? [{
      keys: 'v',
      label: 'Pivot on the frame in focus: callers above, callees below',
      run: () => {
        const name = graph.focus.peek()?.name ?? current.peek().fn;
        if (current.peek().own.pivot) setOwn('pivot', '');
        else if (name) startPivot(name);
        else return false;
        return true;
      },
    }] : []),
    ...toggles.map((t) => ({ keys: t.keys, label: `${t.label}: ${t.about}`, run: t.run })),
  ]);
}

/** Tells what the graph wants told, such as that a link leads nowhere. */
function useNote(graph: Controller): void {
  const note = graph.note.value;
  useEffect(() => {
    if (note === '') return;
    toast(note, 'note');
    graph.note.value = '';
  }, [graph, note]);
}
