// The lines of one function.

import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Finding } from '../../api/advice';
import type { Quantity, SourceFunction, SourceInst, SourceLine, SummaryLine } from '../../api/types';
import { columnFigures } from '../../model/column';
import { status } from '../../state/continuous';
import { Costs } from '../Costs';
import { copyText, Icon, IconButton, openFunctionMenu, tip } from '../parts';
import { count, hex, percentText, plural, shareText } from '../table/format';
import { FunctionName } from '../table/FunctionName';
import { COSTS } from '../vocabulary';
import { folds } from './folds';
import { OpenIn, openPlaceMenu } from './OpenIn';
import type { SourcePlace } from './openItems';
import { tokens, type Inside, type Token } from './tokens';

interface Props {
  fn: SourceFunction;
  /** Other parts of the function are listed, too: the sums are of these lines alone. */
  part: boolean;
  /** Of its values. */
  unit: string;
  /** A line's own cost has that of calls outside your code, which lists have apart. */
  folded: boolean;
  /** Show the machine code of all lines. */
  assembly: boolean;
  /** The line that is chosen, '' for none. */
  at: string;
  onChoose: (line: number) => void;
  /** The profile whose code it is. */
  profile: string;
  /** What there is to say of lines, by their numbers. */
  findings: ReadonlyMap<number, readonly Finding[]>;
  /** The finding whose line is open. */
  finding: string;
  onFinding: (id: string) => void;
  /** Your lines in it that the strip above names. */
  yours: readonly SummaryLine[];
  /** What a line's findings say. */
  body: (f: Finding) => ComponentChildren;
  /** Called when lines move. */
  onLayout: () => void;
}

/** How values are shown beside each other. */
interface Figures {
  figure: (q: Quantity) => string;
  most: number;
}

export function Listing(props: Props) {
  const { fn, part: isPart, unit, folded, assembly, at, onChoose, profile, findings, finding, onFinding, yours, body, onLayout } = props;
  const lines = fn.lines ?? [];
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set()); // folds, by their first line
  const [code, setCode] = useState<ReadonlyMap<number, boolean>>(new Map()); // lines that differ from assembly
  const parts = useMemo(() => folds(lines.length, (i) => costs(lines[i]!) || findings.has(lines[i]!.line)), [lines, findings]);
  const coloured = useMemo(() => colour(lines), [lines]);
  const figures = useMemo<Figures>(() => {
    const all = lines.flatMap((l) => [l.flat, l.cum]);
    const parts = lines.flatMap((l) => (l.instructions ?? []).flatMap((i) => [i.flat, i.cum]));
    const most = all.reduce((m, q) => Math.max(m, Math.abs(q.value)), 1);
    return { figure: columnFigures([...all, ...parts], unit), most };
  }, [lines, unit]);

  const known = fn.error === undefined; // else lines have a placeholder for a text
  const place = placeIn(fn, at, profile);
  return (
    <article class="listing" aria-label={fn.name}>
      <header class="listing-head">
        <h3>
          <button
            type="button"
            class="link-button"
            title="Actions"
            onClick={(e) => openFunctionMenu(fn.name, e.currentTarget)}
          >
            <FunctionName place={{ name: fn.name }} />
          </button>
        </h3>
        <p class="listing-sums">
          {isPart && lines.length > 0 && <span>lines {lines[0]!.line} to {lines.at(-1)!.line} alone:</span>}
          <Costs flat={fn.flat} cum={fn.cum} figure={figures.figure} {...(folded ? { also: 'with calls outside your code' } : {})} />
        </p>
        {fn.file && (
          <p class="listing-file">
            <span class="mono" title={fn.path ? `read from ${fn.path}` : undefined}>{fn.file}</span>
            <IconButton icon="copy" label="Copy the path" onClick={() => void copyText(fn.path ?? fn.file ?? '', 'Path copied')} />
            {place && <OpenIn place={place} />}
          </p>
        )}
      </header>
      {!fn.file && <p class="missing">The profile doesn’t say which file {fn.name} is in.</p>}
      {lines.length > 0 && (
        <table class="lines">
          <thead>
            <tr>
              <th scope="col">Line</th>
              <th scope="col" title={COSTS.flat.about('line')}>{COSTS.flat.title}</th>
              <th scope="col" title={COSTS.cum.about('line')}>{COSTS.cum.title}</th>
              <th scope="col" class="text">{known ? 'Source' : ''}</th>
            </tr>
          </thead>
          <tbody>
            {parts.map((part) => {
              if (part.folded && !open.has(part.first)) {
                return (
                  <tr key={`fold-${part.first}`} class="fold">
                    <td colSpan={4}>
                      <button
                        type="button"
                        class="link-button"
                        onClick={() => {
                          setOpen(new Set(open).add(part.first));
                          onLayout();
                        }}
                      >
                        {plural(part.end - part.first, 'line')} without samples
                      </button>
                    </td>
                  </tr>
                );
              }
              return lines.slice(part.first, part.end).map((line, i) => {
                const shown = code.get(line.line) ?? assembly;
                return (
                  <Line
                    key={line.line}
                    line={line}
                    text={known ? coloured[part.first + i]! : []}
                    figures={figures}
                    open={shown}
                    aimed={at === String(line.line)}
                    findings={findings.get(line.line)}
                    yours={yours.find((l) => l.line === line.line)?.cost}
                    finding={finding}
                    onFinding={onFinding}
                    body={body}
                    onChoose={() => onChoose(line.line)}
                    onMenu={(x, y) => {
                      onChoose(line.line);
                      if (place) void openPlaceMenu({ ...place, line: line.line }, x, y);
                    }}
                    onToggle={() => {
                      setCode(new Map(code).set(line.line, !shown));
                      onLayout();
                    }}
                  />
                );
              });
            })}
          </tbody>
        </table>
      )}
    </article>
  );
}

/** The line of a function that keys act on: the chosen one, or the most expensive, or the first. */
export function placeIn(fn: SourceFunction, at: string, profile: string): SourcePlace | null {
  const lines = fn.lines ?? [];
  const chosen = lines.find((l) => String(l.line) === at)
    ?? lines.reduce<SourceLine | undefined>((a, b) => (a && Math.abs(a.cum.value) >= Math.abs(b.cum.value) ? a : b), undefined);
  return fn.file ? { fn: fn.name, file: fn.file, path: fn.path, line: chosen?.line ?? 1, profile } : null;
}

function costs(line: SourceLine): boolean {
  return line.flat.value !== 0 || line.cum.value !== 0;
}

function colour(lines: readonly SourceLine[]): Token[][] {
  let inside: Inside = '';
  let last = -1;
  return lines.map((line) => {
    if (line.line !== last + 1) inside = '';
    last = line.line;
    const got = tokens(line.text.replace(/\r?\n$/, ''), inside);
    inside = got.inside;
    return got.tokens;
  });
}

interface LineProps {
  line: SourceLine;
  text: readonly Token[];
  figures: Figures;
  open: boolean;
  aimed: boolean;
  onChoose: () => void;
  onMenu: (x: number, y: number) => void;
  onToggle: () => void;
  findings: readonly Finding[] | undefined;
  finding: string;
  onFinding: (id: string) => void;
  /** Its cost as the strip above has it. */
  yours: Quantity | undefined;
  body: (f: Finding) => ComponentChildren;
}

function Line({ line, text, figures, open, aimed, onChoose, onMenu, onToggle, findings, finding, onFinding, yours, body }: LineProps) {
  const hot = costs(line);
  const told = findings?.some((f) => f.id === finding) === true;
  const instructions = line.instructions ?? [];
  const heat = Math.max(Math.abs(line.cum.value), Math.abs(line.flat.value)) / figures.most;
  return (
    <>
      <tr
        class={`${hot ? 'hot' : ''}${aimed ? ' aimed' : ''}`}
        data-line={line.line}
        {...(hot ? { 'data-heat': heat.toFixed(3) } : {})}
        onClick={(e) => {
          // Not for a button, and not if text was selected to copy it.
          if (!(e.target as Element).closest('button') && getSelection()?.isCollapsed !== false) onChoose();
        }}
        onContextMenu={(e) => {
          if (getSelection()?.isCollapsed === false) return; // the browser's own copies it
          e.preventDefault();
          onMenu(e.clientX, e.clientY);
        }}
      >
        <th scope="row">
          {findings && (
            <button
              type="button"
              class="finding-mark"
              aria-expanded={told}
              aria-label={`Advice on line ${line.line}: ${findings.map((f) => f.title).join('; ')}`}
              data-finding={findings[0]!.id}
              onClick={() => onFinding(told ? '' : findings[0]!.id)}
              {...tip(findings.map((f) => f.title).join('; '))}
            >
              <Icon name="bulb" />
            </button>
          )}
          {instructions.length > 0 ? (
            <button
              type="button"
              class="link-button"
              aria-expanded={open}
              aria-label={`Machine code of line ${line.line}`}
              onClick={onToggle}
            >
              <Icon name={open ? 'down' : 'right'} />
              {line.line}
            </button>
          ) : line.line}
        </th>
        <Value q={line.flat} figures={figures} />
        <Value q={line.cum} figures={figures} />
        <td class="text">
          <code>{text.map((t, i) => (t.kind ? <span key={i} class={`go-${t.kind}`}>{t.text}</span> : t.text))}</code>
          {/* The strip leaves out what has lines of its own, calls of your functions, which the columns don't. */}
          {yours && yours.value !== line.flat.value && yours.value !== line.cum.value && (
            <span class="line-yours" title={`${yours.text} with calls outside your code: the figure in the strip above`}>
              {shareText(yours.percent)} without calls of your functions
            </span>
          )}
        </td>
      </tr>
      {told && (
        <tr class="finding-row">
          <td colSpan={4}>
            <div class="finding-box" role="region" aria-label={`Advice on line ${line.line}`}>
              {findings!.map((f) => <div key={f.id}>{body(f)}</div>)}
            </div>
          </td>
        </tr>
      )}
      {open && instructions.map((inst, i) => <Instruction key={i} inst={inst} figures={figures} />)}
    </>
  );
}

/** Nothing measured is nothing shown: the eye finds what is. */
function Value({ q, figures: { figure, most } }: { q: Quantity; figures: Figures }) {
  if (q.value === 0) return <td class="value" />;
  return (
    <td
      class={`value share${q.value < 0 ? ' negative' : ''}`}
      title={`${percentText(q.percent)} of the total`}
      style={{ '--share': `${(100 * Math.abs(q.value)) / most}%` }}
    >
      <span>{figure(q)}</span>
    </td>
  );
}

function Instruction({ inst, figures }: { inst: SourceInst; figures: Figures }) {
  return (
    <tr class="inst">
      <td class="address">{hex(inst.address)}</td>
      <Value q={inst.flat} figures={figures} />
      <Value q={inst.cum} figures={figures} />
      <td class="text">
        <code>{inst.text}</code>
        {inlined(inst) && <span class="soft">  {inlined(inst)}</span>}
      </td>
    </tr>
  );
}

/** The inlined calls an instruction comes from; that it is of the line itself goes without saying. */
function inlined(inst: SourceInst): string {
  const places = inst.calls ?? [];
  if (places.length === 0) return '';
  return (places.at(-1) === inst.place || !inst.place ? places : [...places, inst.place]).join(' → ');
}

const NAMED = 20; // places

/** Why functions have no source, and what helps: once for all of them. */
export function Missing({ of }: { of: readonly SourceFunction[] }) {
  const places = [...new Set(of.flatMap((fn) => fn.looked ?? []))];
  return (
    <div class="missing">
      <p>
        <Icon name="warning" /> {of.length === 1
          ? of[0]!.error
          : `The source files of ${count(of.length)} functions aren’t here: their lines have costs alone.`}
      </p>
      {places.length > 0 && (
        <details>
          <summary>Searched in</summary>
          <ul>
            {places.slice(0, NAMED).map((place) => <li key={place} class="mono">{place}</li>)}
            {places.length > NAMED && <li>{count(places.length - NAMED)} more</li>}
          </ul>
        </details>
      )}
      {status.value ? (
        <p>Set <code>source_path</code> in the server’s configuration to say where the source is.</p>
      ) : (
        <p>
          Start hone with <code>-source_path=FOLDER</code> to say where the source is, and with <code>-trim_path=PREFIX</code> to
          remove the build machine’s prefix from the paths.
        </p>
      )}
    </div>
  );
}
