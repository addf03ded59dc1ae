// One function of a comparison: its code on both sides, with what each line costs there.

import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { CodeRevision, DiffLine, FunctionDiff, SourceSide } from '../../api/types';
import { columnFigures } from '../../model/column';
import { stored } from '../../state/state';
import { Icon, openFunctionMenu, tip } from '../parts';
import { tokens, type Inside, type Token } from '../source/tokens';
import { percentText, plural } from '../table/format';
import { FunctionName } from '../table/FunctionName';
import { sideNames } from '../vocabulary';
import { Commit } from './Commit';
import { besides, changeOf, costs, partsOf, unified, type Row } from './rows';

interface Props {
  fn: FunctionDiff;
  unit: string;
  /** Its own cost has that of calls outside your code, which lists have apart. */
  folded: boolean;
  /** Both sides next to each other; else one below the other. */
  wide: boolean;
  revisions: { base: CodeRevision; head: CodeRevision };
}

type Side = 'base' | 'head';

export function FunctionCode({ fn, unit, folded, wide, revisions }: Props) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => (wide ? besides(fn.lines) : unified(fn.lines)), [fn, wide]);
  const parts = useMemo(() => partsOf(rows), [rows]);
  const shade = useMemo(() => ({ base: coloured(fn, 'base'), head: coloured(fn, 'head') }), [fn]);
  const figures = useMemo(() => figuresOf(fn, rows, unit), [fn, rows, unit]);
  const columns = wide ? 7 : 5;
  const line = (row: Row, i: number) => (wide
    ? <Beside key={i} row={row} figures={figures} shade={shade} />
    : <Below key={i} row={row} figures={figures} shade={shade} />);
  return (
    <article class="code-fn" aria-label={fn.name}>
      <header class="code-head">
        <h3>
          <button type="button" class="link-button" title="Actions" onClick={(e) => openFunctionMenu(fn.name, e.currentTarget)}>
            <FunctionName place={{ name: fn.name }} />
          </button>
        </h3>
        <div class={wide ? 'code-sides' : 'code-sides below'}>
          <SideHead side="base" of={fn.base} folded={folded} revision={revisions.base} />
          <SideHead side="head" of={fn.head} folded={folded} revision={revisions.head} />
        </div>
        {sameNow(fn, revisions) && (
          <p class="code-note">
            <Icon name="info" /> Both sides show the file as it is now, so no line differs. Say which commits they are from to compare them.
          </p>
        )}
      </header>
      {rows.length > 0 && (
        <table class={`code ${wide ? 'wide' : 'narrow'}`} style={{ '--digits': String(figures.digits) }}>
          {wide && <colgroup>{['n', 'c', '', 'n', 'c', '', 'd'].map((kind, i) => <col key={i} class={kind && `col-${kind}`} />)}</colgroup>}
          <thead>
            <tr>
              {wide
                ? (
                  <>
                    <th scope="col" colSpan={2}>{sideNames.base}</th><th scope="col" class="text">Source</th>
                    <th scope="col" colSpan={2}>{sideNames.head}</th><th scope="col" class="text">Source</th>
                    <th scope="col" class="change" title="By how much the cost of the line changed">Change</th>
                  </>
                )
                : (
                  <>
                    <th scope="col">Line</th><th scope="col">{sideNames.base}</th><th scope="col">{sideNames.head}</th>
                    <th scope="col"><span class="visually-hidden">Difference</span></th><th scope="col" class="text">Source</th>
                  </>
                )}
            </tr>
          </thead>
          <tbody>
            {parts.map((part, p) => {
              if ('rows' in part) return part.rows.map((row, i) => line(row, p * 1e5 + i));
              const key = `${part.folded[0]!.base?.line} ${part.folded[0]!.head?.line}`;
              if (open.has(key)) return part.folded.map((row, i) => line(row, p * 1e5 + i));
              return (
                <tr key={key} class="fold">
                  <td colSpan={columns}>
                    <button type="button" class="link-button" onClick={() => setOpen(new Set(open).add(key))}>
                      {plural(part.folded.length, 'line')} alike, without samples
                    </button>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </article>
  );
}

/** Whether both sides show the same file, for want of commits. */
function sameNow({ base, head }: FunctionDiff, { base: was, head: is }: Props['revisions']): boolean {
  return base.lines > 0 && head.lines > 0 && !base.commit && !head.commit && !was.name && !is.name
    && (base.path ?? base.file) === (head.path ?? head.file);
}

/** What a side costs, and which code is shown for it. */
function SideHead({ side, of, folded, revision }: { side: Side; of: SourceSide; folded: boolean; revision: CodeRevision }) {
  const place = (
    <span class="mono code-path" title={of.path ? `read from ${of.path}` : undefined}>{of.file}</span>
  );
  let told: ComponentChildren;
  if (of.absent) told = side === 'base' ? 'didn’t have the function yet' : 'no longer has the function';
  else if (!of.file) told = of.error;
  else if (of.lines === 0) {
    told = (
      <div class="code-missing">
        <p><Icon name="warning" /> No code: {of.error}</p>
        {of.looked && of.looked.length > 0 && (
          <details><summary>Searched in</summary><ul>{of.looked.map((p) => <li key={p} class="mono">{p}</li>)}</ul></details>
        )}
        <p>
          {stored.value ? <>Set <code>source_path</code> in the server’s configuration.</>
            : <>Start hone in the folder of the module, or with <code>-source_path=FOLDER</code>.</>}
        </p>
      </div>
    );
  } else if (of.commit) {
    told = <>at <span class="mono" title={of.commit}>{shortName(revision, of.commit)}</span></>;
  } else if (revision.modified) told = 'as it is now (built with uncommitted changes)';
  else if (of.missed) told = <>as it is now: {of.missed}</>;
  else told = 'as it is now';
  return (
    <section class="code-side" aria-label={sideNames[side]}>
      <p>
        <b>{sideNames[side]}</b> <span class="num">{of.cum.text}</span>{' '}
        <span class="soft">
          {percentText(of.cum.percent)}, self {of.flat.text}{folded && of.flat.value !== 0 && ' with calls outside your code'}
        </span>
      </p>
      <div class="code-from">{of.file && place} {told} {of.file && <Commit side={side} revision={revision} />}</div>
    </section>
  );
}

function shortName(revision: CodeRevision, commit: string): string {
  const name = revision.name ?? commit;
  return /^[0-9a-f]{12,}$/.test(name) ? name.slice(0, 12) : name;
}

interface Figures {
  cost: (line: DiffLine) => string;
  change: (value: number) => string;
  most: number;
  /** Of the longest figure. */
  digits: number;
}

function figuresOf(fn: FunctionDiff, rows: readonly Row[], unit: string): Figures {
  const lines = fn.lines.flatMap(({ base, head }) => [base, head].filter((l) => l !== undefined));
  const figure = columnFigures(lines.map((l) => l.cum), unit);
  return {
    cost: (l) => figure(l.cum), digits: lines.reduce((m, l) => Math.max(m, figure(l.cum).length), 0),
    change: (value) => `${value > 0 ? '+' : ''}${figure({ value, text: '' })}`,
    most: lines.reduce((m, l) => Math.max(m, Math.abs(l.cum.value)), rows.reduce((m, r) => Math.max(m, Math.abs(changeOf(r))), 1)),
  };
}

/** The tokens of a side's lines, by their numbers. */
function coloured(fn: FunctionDiff, side: Side): ReadonlyMap<number, readonly Token[]> {
  const all = new Map<number, readonly Token[]>();
  let inside: Inside = '';
  for (const pair of fn.lines) {
    const line = pair[side];
    if (!line) continue;
    const got = tokens(line.text, inside);
    inside = got.inside;
    all.set(line.line, got.tokens);
  }
  return all;
}

interface RowProps {
  row: Row;
  figures: Figures;
  shade: Record<Side, ReadonlyMap<number, readonly Token[]>>;
}

function Text({ line, shade }: { line: DiffLine | undefined; shade: ReadonlyMap<number, readonly Token[]> }) {
  if (!line) return null;
  if (line.text === '' && !shade.get(line.line)?.length) return <code>{' '}</code>;
  return <code>{shade.get(line.line)!.map((t, i) => (t.kind ? <span key={i} class={`go-${t.kind}`}>{t.text}</span> : t.text))}</code>;
}

function Cost({ line, figures }: { line: DiffLine | undefined; figures: Figures }) {
  if (!line || !costs(line)) return <td class="value" />;
  const about = `${line.cum.text}, ${percentText(line.cum.percent)} of its side; self ${line.flat.text}`;
  return (
    <td class="value share" style={{ '--share': `${(100 * Math.abs(line.cum.value)) / figures.most}%` }} {...tip(about)}>
      <span>{figures.cost(line)}</span>
    </td>
  );
}

const signs: Record<Row['kind'], { base: string; head: string; word: string }> = {
  same: { base: '', head: '', word: '' },
  changed: { base: '-', head: '+', word: 'changed' },
  gone: { base: '-', head: '', word: 'gone' },
  new: { base: '', head: '+', word: 'new' },
};

function marks(row: Row) {
  const hot = costs(row.base) || costs(row.head);
  return {
    class: `${row.kind}${hot ? ' hot' : ''}`, ...(row.stop ? { 'data-stop': '' } : {}),
    ...(row.base ? { 'data-base': row.base.line } : {}), ...(row.head ? { 'data-head': row.head.line } : {}),
  };
}

const toneOf = (change: number): string => (change > 0 ? 'more' : change < 0 ? 'less' : '');

function Beside({ row, figures, shade }: RowProps) {
  const { base, head, kind } = row;
  const change = changeOf(row);
  return (
    <tr {...marks(row)}>
      <th scope="row">{base?.line}</th>
      <Cost line={base} figures={figures} />
      <td class="text before"><Sign of={signs[kind].base} /><Text line={base} shade={shade.base} /></td>
      <th scope="row">{head?.line}</th>
      <Cost line={head} figures={figures} />
      <td class="text after"><Sign of={signs[kind].head} /><Text line={head} shade={shade.head} /></td>
      <td class={`value change ${toneOf(change)}`}>{change !== 0 && figures.change(change)}</td>
    </tr>
  );
}

function Below({ row, figures, shade }: RowProps) {
  const { base, head, kind } = row;
  const { word } = signs[kind];
  return (
    <tr {...marks(row)}>
      <th scope="row">{(head ?? base)?.line}</th>
      <Cost line={base} figures={figures} />
      <Cost line={head} figures={figures} />
      <td class="sign"><Sign of={signs[kind].base || signs[kind].head} />{word && <span class="visually-hidden">{word}</span>}</td>
      <td class="text"><Text line={head ?? base} shade={head ? shade.head : shade.base} /></td>
    </tr>
  );
}

function Sign({ of }: { of: string }) {
  return <span class="sign" aria-hidden="true">{of}</span>;
}
