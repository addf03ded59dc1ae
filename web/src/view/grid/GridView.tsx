// What the values of a label cost, side by side: a card for each, with the functions that
// cost most in it. All bars have one scale. Only the cards in view are in the document.

import './grid.css';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Grid, GridCell, GridLabel, Quantity, Top } from '../../api/types';
import { columnFigures, type Figure } from '../../model/column';
import { shortName } from '../../model/names';
import { formatValue } from '../../model/units';
import { patternOf, writtenIn } from '../../state/pattern';
import { begun } from '../../state/mine';
import { flagOn } from '../../state/options';
import { shown } from '../../state/profiles';
import { useReport } from '../../state/report';
import { go, queryOf, setOwn, state, type State } from '../../state/state';
import { valueFilter } from '../../state/tagFilter';
import { Button, Empty, openFunctionMenu, ReportState, tip } from '../parts';
import { Find } from '../table/Find';
import { count, percentText, plural, signedText } from '../table/format';
import { nameParts, shortenParts } from '../table/names';
import { extend, untrimmed } from '../table/query';
import { SPARE } from '../table/range';
import { usePages } from '../table/usePages';
import { useMarked } from '../table/useMarked';
import { useSearch } from '../table/useSearch';
import { useVirtual } from '../table/useVirtual';
import { NoSamples } from '../NoSamples';
import type { ViewProps } from '../props';

const PAGE = 24;
const CARD_REM = 6; // its height without functions, and the gap below
const FUNCTION_REM = 1.3; // a function's height
const WIDTH_REM = 19; // a card's least width
const CHANGES_REM = 25; // with changes, which have units
const GAP_REM = 0.75; // between cards
const BESIDE_REM = 3.125; // what a card has beside a function's name and cost
const CHAR_REM = 0.45; // of the names
const cellsOf = (grid: Grid) => grid.cells;

/** The switch between cards and the list of all labels. */
export function AsWhat() {
  const list = state.value.own['as'] === 'list';
  return (
    <span class="segments" role="group" aria-label="Show labels as">
      <Button aria-pressed={!list} onClick={() => setOwn('as', '')} {...tip('What the values of one label cost, with functions')}>
        Grid
      </Button>
      <Button aria-pressed={list} onClick={() => setOwn('as', 'list')} {...tip('All labels of samples with their values')}>List</Button>
    </span>
  );
}

export function GridView({ info, state: now, empty }: ViewProps & { empty: ComponentChildren }) {
  const find = now.own['find'] ?? '';
  const query = extend(queryOf(now), { by: now.own['label'] ?? '', find: patternOf(find) });
  const pages = usePages<Grid, GridCell>('grid', query, PAGE, cellsOf);
  return (
    <section class="pane" aria-label="Labels">
      <ReportState
        loading={pages.first}
        empty={({ report }) => (report.labels.length > 0 ? undefined : report.total.value === 0 ? <NoSamples /> : empty)}
      >
        {({ report }) => <Cells grid={report} pages={pages} state={now} numeric={isNumeric(info, report.by)} find={find} />}
      </ReportState>
    </section>
  );
}

const isNumeric = (info: ViewProps['info'], key: string) => info.labels.find((l) => l.key === key)?.numeric ?? false;

interface CellsProps {
  grid: Grid;
  pages: ReturnType<typeof usePages<Grid, GridCell>>;
  state: State;
  numeric: boolean;
  find: string;
}

function Cells({ grid, pages, state: now, numeric, find }: CellsProps) {
  const { total, row, need } = pages;
  const box = useRef<HTMLDivElement>(null);
  const matches = useSearch(now, useMarked(box));
  const [picked, setPicked] = useState<readonly GridCell[]>([]);
  useEffect(() => setPicked([]), [grid.by]);
  const compared = now.base.length > 0; // values are changes, but a part has only one side
  const yours = shown.value?.info?.foldable === true && !now.options.mine;
  const label = grid.labels.find((l) => l.key === grid.by);
  const pick = (cell: GridCell) => setPicked((all) => {
    const rest = all.filter((c) => c.value !== cell.value);
    return rest.length < all.length ? rest : [...rest.slice(-1), cell];
  });
  const open = (cell: GridCell) => {
    if (cell.profiles !== undefined) go({ view: 'flame', profile: cell.profile, base: [] });
    else go({ view: 'flame', options: { ...now.options, tagfocus: valueFilter(grid.by, cell.value, numeric) } });
  };
  return (
    <>
      <div class="pane-bar">
        <ByLabel labels={grid.labels} by={grid.by} />
        <Find label={`Find a value of ${grid.by}`} value={find} onChange={(text) => setOwn('find', text, 'replace')} />
        <span class="grow" />
        <Picked cells={picked} clear={() => setPicked([])} />
        <AsWhat />
      </div>
      {total === 0 ? (
        <Empty title={find ? 'Nothing found' : 'No values'}>
          <p>{find ? `No value of ${grid.by} matches “${find}”.` : `Nothing here has the label ${grid.by}.`}</p>
        </Empty>
      ) : (
        <Cards
          key={grid.by + find}
          grid={grid}
          searched={find !== ''}
          rest={!numeric && !compared && !now.options.tagignore ? restOf(grid, label) : undefined}
          yours={yours}
          total={total}
          row={row}
          need={need}
          picked={picked}
          compared={compared}
          pick={compared ? null : pick}
          open={open}
          marked={matches}
          box={box}
        />
      )}
      <div class="pane-facts">
        <span>{plural(total, 'value')}, {compared ? 'the largest change first' : 'the most expensive first'}</span>
        {label?.total && !compared && <span>{percentText(label.total.percent)} of the total has this label</span>}
        {!compared && <span>Percentages are of the total</span>}
        {compared && grid.cells.some((c) => c.noise || c.functions.some((f) => f.noise)) && <span>Grey bars are within noise</span>}
        {!compared && yours && <span>Functions are yours, with their calls outside your code</span>}
        <span>All bars have one scale</span>
      </div>
    </>
  );
}

function ByLabel({ labels, by }: { labels: readonly GridLabel[]; by: string }) {
  return (
    <label class="picklist grid-by">
      <span class="soft">By</span>
      <select aria-label="Label" value={by} onChange={(e) => setOwn('label', e.currentTarget.value)}>
        {labels.map((l) => <option key={l.key} value={l.key}>{l.key} ({count(l.values)})</option>)}
      </select>
    </label>
  );
}

const nameOf = (cell: GridCell) => cell.value || '(none)';

/** The two values to compare, the first as the base. */
function Picked({ cells, clear }: { cells: readonly GridCell[]; clear: () => void }) {
  const [base, head] = cells;
  if (!base) return null;
  const compare = () => head && go({
    view: 'diff', profile: head.profile, base: base.profile, options: begun(state.value.options), fn: '', search: '', own: {},
  });
  return (
    <span class="grid-picked" role="status">
      {head ? (
        <Button kind="primary" icon="compare" onClick={compare}>
          Compare <span class="mono grid-name">{nameOf(base)}</span> with <span class="mono grid-name">{nameOf(head)}</span>
        </Button>
      ) : <span class="soft">Pick another to compare with {nameOf(base)}</span>}
      <Button kind="plain" onClick={clear}>Clear</Button>
    </span>
  );
}

/** What the samples without a label cost; undefined for nothing, and for labels that all of a profile has. */
function restOf({ total, unit }: Grid, label: GridLabel | undefined): Quantity | undefined {
  const value = total.value - (label?.total?.value ?? total.value);
  return value > 0 ? { value, text: formatValue(value, unit), percent: (100 * value) / total.value } : undefined;
}

interface CardsProps {
  grid: Grid;
  /** What the samples without the label cost: a card, unless values are searched for. */
  rest: Quantity | undefined;
  searched: boolean;
  yours: boolean;
  /** Values are changes. */
  compared: boolean;
  total: number;
  row: (i: number) => GridCell | undefined;
  need: (first: number, end: number) => void;
  picked: readonly GridCell[];
  pick: ((cell: GridCell) => void) | null;
  open: (cell: GridCell) => void;
  marked: ((text: string) => boolean) | null;
  box: RefObject<HTMLDivElement | null>;
}

function Cards({ grid, rest, searched, yours, compared, total, row, need, picked, pick, open, marked, box }: CardsProps) {
  const rem = useMemo(() => parseFloat(getComputedStyle(document.documentElement).fontSize) || 16, []);
  const [columns, setColumns] = useState(1);
  const least = compared ? CHANGES_REM : WIDTH_REM;
  const all = total + (rest && !searched ? 1 : 0);
  const lines = Math.ceil(all / columns);
  // The first have the most functions, as they cost most.
  const rows = useMemo(() => Math.max(1, ...grid.cells.map((c) => c.functions.length)), [grid]);
  // One unit, and as many digits. Changes have those of functions, too, and of what they were.
  const figure = useMemo(() => {
    const shown = grid.cells.flatMap((c) => [c.sum, ...(compared ? c.functions.map((f) => f.cost) : [])]);
    return columnFigures(shown, grid.unit, compared);
  }, [grid, compared]);
  const view = useVirtual(box, lines, 0, CARD_REM + FUNCTION_REM * rows);
  useLayoutEffect(() => { // before anything is drawn
    if (view.width > 0) setColumns(Math.max(1, Math.min(Math.floor(view.width / (least * rem)), Math.max(2, all))));
  }, [view.width, rem, all, least]);
  const [first, end] = [view.range.first * columns, Math.min(all, view.range.end * columns)];
  // A line of cards costs the server more than a row of a table, so only one line above and below is read ahead.
  const seen = [view.range.first === 0 ? 0 : view.range.first + SPARE - 1, Math.max(1, view.range.end - SPARE + 1)] as const;
  const [from, to] = [seen[0] * columns, Math.min(total, (view.range.end === lines ? lines : seen[1]) * columns)];
  useEffect(() => need(from, to), [from, to, need]);
  const common = {
    most: Math.max(grid.most, rest?.value ?? 0), of: all, compared, figure, rows, marked,
    chars: Math.floor(((view.width / rem - 2 - GAP_REM * (columns - 1)) / columns - BESIDE_REM) / CHAR_REM),
  };
  const cards = Array.from({ length: Math.max(0, end - first) }, (_, i) => {
    if (rest && first + i === total) return <Rest key="without" {...common} label={grid.by} sum={rest} yours={yours} />;
    const cell = row(first + i);
    return cell
      ? (
          <Card
            {...common}
            key={cell.value}
            cell={cell}
            name={nameOf(cell)}
            at={first + i}
            picked={picked.some((c) => c.value === cell.value)}
            pick={pick && (() => pick(cell))}
            open={() => open(cell)}
          />
        )
      : <li key={`wait-${i}`} class="card card-waiting" />;
  });
  return (
    <div ref={box} class="pane-scroll grid-scroll" tabIndex={0} role="region" aria-label={`Values of ${grid.by}`} onScroll={view.onScroll}>
      <div style={{ height: `${view.height}px` }}>
        <ul
          class="cards"
          onKeyDown={(e) => walk(e, columns)}
          style={{ '--columns': String(columns), '--card': `${view.rowHeight}px`, transform: `translateY(${view.range.top}px)` }}
        >
          {cards}
        </ul>
      </div>
    </div>
  );
}

/** A name in so many characters: names that begin alike are told apart by their ends. */
function fitted(name: string, chars: number): string {
  const { before, path, name: last, after } = shortenParts(nameParts({ name: shortName(name) }), Math.max(12, chars));
  return before + path + last + after;
}

/** Arrows walk from card to card. */
function walk(e: KeyboardEvent, columns: number): void {
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[e.key];
  if (step === undefined || e.ctrlKey || e.metaKey || e.altKey) return;
  const cards = [...(e.currentTarget as HTMLElement).children];
  const at = cards.indexOf((e.target as Element).closest('.card')!);
  cards[at + step]?.querySelector<HTMLElement>('.card-name')?.focus();
  e.preventDefault();
  e.stopPropagation();
}

interface CommonProps {
  compared: boolean;
  most: number;
  /** Prints the values of all cards alike. */
  figure: (q: Figure) => string;
  /** There is room for so many functions. */
  rows: number;
  /** There is room for so many next to a function's bar. */
  chars: number;
  /** How many cards there are. */
  of: number;
  marked: ((text: string) => boolean) | null;
}

/** The card of what has no label. */
function Rest({ label, sum, yours, ...common }: CommonProps & { label: string; sum: Quantity; yours: boolean }) {
  const options = { ...state.value.options, tagignore: `${label}=.` };
  const query = extend(untrimmed(queryOf({ ...state.value, options }), options), {
    limit: String(common.rows), ...(yours && { mine: flagOn('mine') }),
  });
  const functions = (useReport<Top>('top', query).answer?.report.rows ?? []).filter((r) => r.flat.value > 0);
  return (
    <Card
      {...common}
      cell={{ value: '', sum, functions: functions.map((r) => ({ name: r.name, cost: r.flat })), profile: [] }}
      name={`without ${label}`}
      at={common.of - 1}
      picked={false}
      pick={null}
      open={() => go({ view: 'flame', options })}
    />
  );
}

interface CardProps extends CommonProps {
  cell: GridCell;
  name: string;
  at: number;
  picked: boolean;
  pick: (() => void) | null;
  open: () => void;
}

function Card({ cell, name, compared, most, figure, rows, chars, at, of, picked, pick, open, marked }: CardProps) {
  const kind = (text: string) => (marked?.(text) ? ' marked card-marked' : '');
  const tone = (value: number, noise: boolean | undefined) =>
    (noise ? ' noise' : value < 0 ? ' negative' : compared ? ' positive' : '');
  const share = (value: number) => `${(100 * Math.abs(value)) / (most || 1)}%`;
  // As the value above, of which shares are where it has one. Changes of functions cancel each other out.
  const functions = cell.functions.slice(0, rows);
  const change = (cost: Quantity) => signedText(figure(cost), cost.value, true);
  const sides = (cost: Quantity, base = 0) => `${figure({ value: base, text: '' })} → ${figure({ value: base + cost.value, text: '' })}`;
  const costs = functions.map(({ cost }) =>
    (compared ? change(cost) : cell.profiles !== undefined ? cost.text : percentText(cost.percent)));
  return (
    <li class={`card${picked ? ' card-picked' : ''}`} aria-setsize={of} aria-posinset={at + 1}>
      <header>
        <button type="button" class={`card-name mono${kind(name)}`} onClick={open} {...tip(`Show ${name} as a flame graph`)}>{name}</button>
        {pick && (
          <label class="card-pick" {...tip('Pick two to compare them')}>
            <input type="checkbox" checked={picked} onChange={pick} aria-label={`Compare ${name}`} />
          </label>
        )}
      </header>
      <p class={`card-sum${tone(cell.sum.value, cell.noise)}`} style={{ '--share': share(cell.sum.value) }}>
        <b>{compared ? change(cell.sum) : figure(cell.sum)}</b>
        <span class="soft">{compared ? sides(cell.sum, cell.base)
          : cell.profiles !== undefined ? plural(cell.profiles, 'profile') : percentText(cell.sum.percent)}</span>
      </p>
      <ol>
        {functions.map((f, i) => (
          <li key={f.name} class={tone(f.cost.value, f.noise)} style={{ '--share': share(f.cost.value) }}>
            <button
              type="button"
              class={`card-fn mono${kind(f.name)}`}
              title={compared ? `${f.name}: ${sides(f.cost, f.base)}` : f.name}
              onClick={(e) => openFunctionMenu(compared ? f.name : writtenIn(f.name) || f.name, e.currentTarget)}
            >
              {fitted(f.name, chars - costs[i]!.length)}
            </button>
            <span class="num">{costs[i]}</span>
          </li>
        ))}
      </ol>
    </li>
  );
}
