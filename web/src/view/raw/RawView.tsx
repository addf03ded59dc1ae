import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { report } from '../../api/client';
import type { Raw, RawSection } from '../../api/types';
import { exactly } from '../../state/pattern';
import { queryOf, setOwn, state as current, go, type State } from '../../state/state';
import { Button, copyText, openFunctionMenu, ReportState, tip, toast } from '../parts';
import { Find } from '../table/Find';
import { count, plural } from '../table/format';
import { extend } from '../table/query';
import { usePages } from '../table/usePages';
import { useSearch, useStable } from '../table/useSearch';
import { useVirtual } from '../table/useVirtual';
import type { ViewProps } from '../props';
import { Line, type Follow } from './Line';
import { lineAt, rawFind, recordOf, rowOf, rowsIn, runsOf, sectionAt, towards } from './text';
import '../table/pane.css';
import './raw.css';

const PAGE = 1000;
const LINE_REM = 1.25;

/**
 * The profile as text, of which only the part in view is fetched and drawn. What a line refers to leads to that line, and a
 * record's own id to what refers to it.
 */
export default function RawView({ state }: ViewProps) {
  const find = state.own['find'] ?? '';
  const query = extend(queryOf(state), { find: rawFind(find) });
  const pages = usePages<Raw, string>('raw', query, PAGE, (raw) => raw.lines);
  const answer = pages.first.answer?.report;
  const sections = answer?.sections ?? NONE;
  const told = !answer || sections.length > 0;
  const fold = state.own['fold'] ?? '';
  const folded = useMemo(() => fold.split(',').filter(Boolean), [fold]);
  return (
    <section class="pane" aria-label="Raw">
      <div class="pane-bar">
        <Find label="Filter the text" value={find} onChange={(text) => filter(text, 'replace')} />
        {told && (
          <div class="raw-sections" role="group" aria-label="Sections">
            {NAMES.map((name) => (
              <SectionButtons key={name} section={sections.find((s) => s.name === name) ?? { name, line: 0, records: 0 }} folded={folded} />
            ))}
          </div>
        )}
        <span class="grow" />
        <Button icon="copy" onClick={() => void copyLines(query, folded)} {...tip('Copy these lines')}>Copy</Button>
      </div>
      <ReportState loading={pages.first}>
        {() => (
          <Lines key={find} {...{ state, find, sections, folded }} total={pages.total} line={pages.row} need={pages.need} />
        )}
      </ReportState>
    </section>
  );
}

/** Shows only what matches, '' for all. The line of the address is one of the text before. */
function filter(find: string, how: 'push' | 'replace'): void {
  const { find: _, at: __, ...own } = current.peek().own;
  go({ own: find ? { ...own, find } : own }, how);
}

const MOST_COPIED = 20_000; // lines

/** Copies the text, as far as it isn't put away. */
async function copyLines(query: URLSearchParams, folded: readonly string[]): Promise<void> {
  try {
    const { report: { lines, sections, total } } = await report<Raw>('raw', extend(query, { limit: String(MOST_COPIED), offset: '0' }));
    const shown = runsOf(sections ?? NONE, total, folded).flatMap(([from, to]) => lines.slice(from, to));
    const left = total - lines.length;
    const without = left > 0 ? `, ${count(left)} left out: see Export` : '';
    await copyText(`${shown.join('\n')}\n`, `${plural(shown.length, 'line')} copied${without}`);
  } catch (err) {
    toast(err instanceof Error ? err.message : String(err), 'error');
  }
}

const NONE: readonly RawSection[] = [];
const NAMES = ['samples', 'locations', 'mappings'] as const;
const TITLES = { samples: 'Samples', locations: 'Locations', mappings: 'Mappings' };

/** Line by line to one that is looked for, some of which are still on their way. */
interface Search {
  at: number;
  /** The line to look at next, or null if it is this one. */
  next: (text: string, at: number) => number | null;
  left: number;
  found: (at: number) => void;
}

interface LinesProps {
  state: State;
  find: string;
  folded: readonly string[];
  sections: readonly RawSection[];
  total: number;
  line: (index: number) => string | undefined;
  need: (first: number, end: number) => void;
}

function Lines({ state, find, sections, folded, total, line, need }: LinesProps) {
  const box = useRef<HTMLDivElement>(null);
  const runs = useMemo(() => runsOf(sections, total, folded), [sections, total, folded]);
  const rows = rowsIn(runs);
  const view = useVirtual(box, rows, 0, LINE_REM);
  const { first, end } = view.range;
  const at = Number(state.own['at'] ?? 0) - 1;
  useEffect(() => {
    if (rows > 0) need(lineAt(runs, Math.min(first, rows - 1)), lineAt(runs, Math.min(end, rows) - 1) + 1);
  });
  const sought = useRef<Search | null>(null);
  const told = useRef<Search | null>(null);
  const [about, setAbout] = useState('');
  const around = (i: number) => ((i % total) + total) % total;
  /** Looks on, as far as lines are there; others are asked for, and it goes on when they come. */
  const seek = () => [sought, told].forEach((search) => {
    for (let s = search.current; s && s.left > 0; s.left--) {
      const text = line(s.at);
      if (text === undefined) {
        need(s.at, s.at + 1);
        return;
      }
      const next = s.next(text, s.at);
      if (next === null) {
        s.found(s.at);
        break;
      }
      s.at = around(next);
    }
    search.current = null;
  });
  useEffect(seek);

  // The line of the address is shown when it gets another one, and what hides it is opened.
  const shown = useRef(-1);
  useEffect(() => {
    if (at < 0 || at >= total || shown.current === at) return;
    const row = rowOf(runs, at);
    if (row < 0) unfold(folded, sectionAt(sections, at)?.name);
    else if (view.width > 0) {
      shown.current = at;
      view.show(row, true);
    }
  });

  const matches = useSearch(state, useStable((direction) => {
    const from = around(at < 0 ? (direction > 0 ? 0 : -1) : at + direction);
    sought.current = {
      at: from, left: total, found: (i) => toLine(i, 'replace'), next: (text, i) => (matches?.(text) ? null : i + direction),
    };
    seek();
  }));
  /** The search for the line of a location or a mapping. */
  const searchFor = (kind: 'location' | 'mapping', id: string, found: Search['found']): Search | null => {
    const s = sections.find(({ name }) => name === `${kind}s`);
    if (!s) return null;
    if (kind === 'mapping') return { at: s.line, left: s.records, found, next: (text, i) => (text.startsWith(`${id}: `) ? null : i + 1) };
    const number = Number(id);
    const last = (sections[sections.indexOf(s) + 1]?.line ?? total + 1) - 1;
    let all = s.line + number - 1 >= last;
    return {
      at: all ? s.line : s.line + number - 1, left: 2 * total, found,
      next: (text, i) => {
        const to = towards(number, text, i, all);
        if (to === null || to < last) return to;
        all = true;
        return s.line;
      },
    };
  };
  const follow: Follow = (kind, id, target, section) => {
    if (kind === 'users') return filter(recordOf(section, id), 'push');
    if (kind === 'function') {
      const run = () => filter(exactly(id), 'push');
      return openFunctionMenu(id, target, [{ label: 'Filter the text', hint: 'Only records that refer to it', icon: 'filter', run }]);
    }
    sought.current = searchFor(kind, id, (i) => toLine(i, 'push'));
    seek();
  };
  const tell: Follow = (kind, id, _, section) => {
    if (kind === 'function') return;
    if (kind === 'users') return setAbout(`Click: only what refers to ${recordOf(section, id)}`);
    told.current = searchFor(kind, id, (i) => setAbout(line(i)!.trim()));
    seek();
  };

  const lines = [];
  for (let row = first; row < Math.min(end, rows); row++) {
    const i = lineAt(runs, row);
    const text = line(i);
    lines.push(
      <Line
        key={i} index={i} text={text} section={sectionAt(sections, i)?.name} current={i === at}
        marked={text !== undefined && (matches?.(text) ?? false)} found={find} follow={follow} tell={tell}
      />,
    );
  }
  /** Moves to a row before or behind the current line, whose references the tab key reaches. */
  const onKeyDown = (e: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (step === undefined || e.target !== box.current) return;
    e.preventDefault();
    const row = at < 0 ? first : rowOf(runs, at) + step;
    if (row < 0 || row >= rows) return;
    const to = lineAt(runs, row);
    shown.current = to; // scrolled as little as need be
    view.show(row);
    toLine(to, 'replace');
  };
  return (
    <>
      <div
        ref={box}
        class="pane-scroll raw"
        tabIndex={0}
        role="region"
        aria-label="The profile as text"
        onScroll={view.onScroll}
        onKeyDown={onKeyDown}
        style={{ '--row': `${view.rowHeight}px`, '--digits': String(total).length }}
      >
        <div class="raw-body" style={{ height: `${view.height}px` }}>
          <div class="raw-window" style={{ transform: `translateY(${view.range.top}px)` }}>{lines}</div>
        </div>
      </div>
      <div class="pane-facts">
        {state.base.length > 0 && <span>Values are after minus before</span>}
        <span>{find && sections.every((s) => s.records === 0) ? 'Nothing matches' : plural(total, 'line')}</span>
        <span class={about ? 'mono' : ''}>{about || 'Click a number for its line, a function for what can be done with it'}</span>
      </div>
    </>
  );
}

/** Leads to a section, and puts its lines away. */
function SectionButtons({ section: { name, line, records }, folded }: { section: RawSection; folded: readonly string[] }) {
  const away = folded.includes(name);
  const title = TITLES[name];
  return (
    <span class="segments">
      <Button disabled={records === 0} onClick={() => toLine(line, 'push', folded.filter((f) => f !== name))}>
        {title} <span class="soft num">{count(records)}</span>
      </Button>
      <Button
        icon={away ? 'right' : 'down'}
        aria-pressed={away}
        aria-label={`Fold ${title.toLowerCase()}`}
        data-tip={away ? 'Show these lines' : 'Put these lines away'}
        onClick={() => (away ? unfold(folded, name) : setOwn('fold', [...folded, name].join(','), 'replace'))}
      />
    </span>
  );
}

/** Selects a line, which is shown. */
function toLine(i: number, how: 'push' | 'replace', folded?: readonly string[]): void {
  const { fold, ...own } = current.peek().own;
  const rest = folded ? folded.join(',') : (fold ?? '');
  go({ own: { ...own, at: String(i + 1), ...(rest ? { fold: rest } : {}) } }, how);
}

const unfold = (folded: readonly string[], name: string | undefined) =>
  setOwn('fold', folded.filter((f) => f !== name).join(','), 'replace');
