import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Finding } from '../../api/advice';
import type { Source, Top } from '../../api/types';
import { adviceCommand, adviceOnProfiles, findingsIn, useAdvice, type Advising } from '../../state/advice';
import { exactly, quote, writtenIn } from '../../state/pattern';
import { hasSource, showsMine } from '../../state/profiles';
import { useReport } from '../../state/report';
import { go, href, inView, queryOf, selectFunction, setOwn, type State } from '../../state/state';
import { BothSides } from '../code/BothSides';
import { FindingBody } from '../advice/FindingCard';
import { classes, classText, StateBadge } from '../advice/words';
import { follow } from '../link';
import { Button, ReportState, tip, useKeys } from '../parts';
import { FunctionList } from '../table/FunctionList';
import { plural } from '../table/format';
import { selects } from '../table/names';
import { extend } from '../table/query';
import { useYourLines } from '../table/useYourLines';
import { NoSamples } from '../NoSamples';
import type { ViewProps } from '../props';
import { Listing, Missing, placeIn } from './Listing';
import { OpenInHost, openPlace } from './OpenIn';
import { Rail, hotRows } from './Rail';
import './source.css';

const MOST = 8; // functions listed while none is selected
const PATIENCE = 2000; // ms that lines wait for the finding a link leads to, so as not to move when it opens

/** The lines of a function with their cost; of a comparison, on both sides. */
export default function SourceView(props: ViewProps) {
  const { base, own } = props.state;
  return base.length > 0 && own['merged'] !== '1' ? <BothSides state={props.state} /> : <OneFile {...props} />;
}

/** The lines of a function with their cost, and the machine code made from them. */
function OneFile({ state }: ViewProps) {
  const query = queryOf(state);
  const { fn } = state;
  const hottest = useReport<Top>('top', fn ? null : extend(query, { granularity: 'functions', sort: 'flat', limit: String(MOST) }));
  const yours = useYourLines(state);
  const owners = yours.lines.flatMap((l) => l.function ?? []);
  const rows = yours.known ? hottest.answer?.report.rows.map(selects) : undefined;
  const names = rows && [...new Set([...owners, ...rows].map(writtenIn))].filter(Boolean).slice(0, MOST);
  const match = fn ? exactly(writtenIn(fn) || fn) : names?.length ? `^(?:${names.map(quote).join('|')})$` : undefined;
  const source = useReport<Source>('source', match === undefined ? null : extend(query, { match }));
  const nothing = names?.length === 0 && !hottest.stale;
  const folded = showsMine(state);
  const assembly = state.own['asm'] === '1';
  const line = state.own['at'] ?? '';
  // Most profiles come without their program, which only assembly needs.
  const shown = useMemo(() => ({
    ...source,
    ...(source.answer && !assembly && {
      answer: { ...source.answer, warnings: source.answer.warnings.filter((w) => !w.startsWith('no machine code: ')) },
    }),
  }), [source, assembly]);

  const scroller = useRef<HTMLDivElement>(null);
  const [layout, setLayout] = useState(0); // counts what moves lines: folds opened, code shown
  const functions = useMemo(
    () => [...(source.answer?.report.functions ?? [])].sort((a, b) => yoursFirst(owners, a.name, b.name)
      || Math.abs(b.flat.value) - Math.abs(a.flat.value) || Math.abs(b.cum.value) - Math.abs(a.cum.value)),
    [source.answer, owners.join('\n')],
  );

  const missing = functions.filter((f) => f.error !== undefined && f.file);

  const advised = hasSource.value === true && state.profile.length > 0;
  const advising = useAdvice(advised ? adviceOnProfiles(state.profile) : null);
  const advice = advising.answer;
  const findings = useMemo(() => functions.map((f) => findingsIn(advice?.findings ?? [], f)), [functions, advice]);
  const marked = findings.reduce((n, found) => n + found.size, 0);
  const finding = state.own['finding'] ?? '';
  const openFinding = (id: string) => {
    setOwn('finding', id, 'replace');
    setLayout((n) => n + 1);
  };

  const [patient, setPatient] = useState(finding !== '');
  useEffect(() => {
    const timer = setTimeout(() => setPatient(false), PATIENCE);
    return () => clearTimeout(timer);
  }, []);
  const waits = patient && finding !== '' && (hasSource.value === null || (advised && !advice && !advising.error));

  // A link to a finding leads to its line, once there is advice.
  const linked = useRef(finding);
  useEffect(() => {
    if (linked.current === '' || source.stale || waits) return;
    const mark = scroller.current?.querySelector(`[data-finding="${CSS.escape(linked.current)}"]`);
    if (!mark) return;
    linked.current = '';
    mark.scrollIntoView({ block: 'center' });
  }, [findings, source.stale, waits]);

  const chosen = useRef('');
  const choose = (to: number) => {
    chosen.current = `${fn} ${to}`;
    setOwn('at', String(to), 'replace');
  };

  // What costs most is what one came to see.
  useEffect(() => {
    const box = scroller.current;
    if (!box || source.stale || linked.current !== '') return;
    const rows = hotRows(box);
    const hottest = rows.reduce<HTMLElement | undefined>((a, b) => (a && heat(a) >= heat(b) ? a : b), undefined);
    if (line !== '' && chosen.current === `${fn} ${line}`) return; // in sight already
    const aim = (line && box.querySelector<HTMLElement>(`tr[data-line="${CSS.escape(line)}"]`)) || hottest;
    box.scrollTop = fn && aim ? Math.max(0, aim.offsetTop - box.clientHeight / 2) : 0;
  }, [source.answer, source.stale, fn, line, waits]);

  const step = (by: 1 | -1) => {
    const box = scroller.current;
    if (!box) return;
    const middle = box.scrollTop + box.clientHeight / 2;
    const rows = hotRows(box);
    const next = by > 0 ? rows.find((r) => r.offsetTop > middle + 4) : rows.findLast((r) => r.offsetTop + r.offsetHeight < middle - 4);
    if (!next) return;
    box.scrollTop = next.offsetTop + next.offsetHeight / 2 - box.clientHeight / 2;
    choose(Number(next.dataset['line']));
  };
  const nextFinding = () => {
    const marks = [...(scroller.current?.querySelectorAll<HTMLElement>('.finding-mark') ?? [])];
    const next = marks[(marks.findIndex((m) => m === document.activeElement) + 1) % marks.length];
    if (!next) return;
    next.focus();
    next.scrollIntoView({ block: 'center' });
    if (next.getAttribute('aria-expanded') !== 'true') next.click();
  };
  const openChosen = () => {
    const fns = functions.filter((f) => f.file);
    const at = fns.find((f) => f.lines?.some((l) => String(l.line) === line)) ?? fns[0];
    const place = at && placeIn(at, line, state.profile[0] ?? '');
    if (!place) return false;
    openPlace(place);
    return true;
  };
  useKeys('Source', [
    { keys: 'e', label: 'Next line with advice', run: nextFinding },
    { keys: ']', label: 'Next hot line', run: () => step(1) },
    { keys: '[', label: 'Previous hot line', run: () => step(-1) },
    { keys: 'E', label: 'Open the line in your editor', run: openChosen },
    { keys: 'x', label: 'Show or hide assembly', run: () => setOwn('asm', assembly ? '' : '1', 'replace') },
  ]);

  return (
    <section class="pane" aria-label="Source">
      <div class="split">
        <FunctionList state={state} by="cum" functions onOpen={selectFunction} />
        <div class="split-main">
          <div class="pane-bar">
            <h2>{fn ? 'Lines by cost' : `Most expensive functions${owners.length > 0 ? ', yours first' : ''}`}</h2>
            <span class="grow" />
            {advised && <AdviceNote advising={advising} marked={marked} state={state} />}
            {fn && (
              <Button kind="plain" onClick={() => selectFunction('', 'push')} {...tip('Most expensive functions')}>Hottest</Button>
            )}
            {state.base.length > 0 && (
              <Button aria-pressed={false} onClick={() => setOwn('merged', '', 'replace')} {...tip('The code of both sides, aligned')}>
                Both sides
              </Button>
            )}
            <Button
              aria-pressed={assembly}
              onClick={() => setOwn('asm', assembly ? '' : '1', 'replace')}
              {...tip('Machine code below each line', 'x')}
            >
              Assembly
            </Button>
          </div>
          {nothing && !fn ? <NoSamples /> : <ReportState loading={match === undefined && hottest.error
            ? { stale: false, error: hottest.error }
            : shown}>
            {() => !waits && (
              <div class="source-box">
                <div ref={scroller} class="pane-scroll source" tabIndex={0} role="region" aria-label="Source lines">
                  {missing.length > 0 && <Missing of={missing} />}
                  {functions.map((f, i) => (
                    <Listing
                      key={`${f.name} ${f.file} ${f.lines?.[0]?.line}`}
                      fn={f}
                      part={functions.some((o) => o !== f && o.name === f.name)}
                      unit={source.answer?.report.unit ?? ''}
                      folded={folded}
                      assembly={assembly}
                      at={line}
                      onChoose={choose}
                      profile={state.profile[0] ?? ''}
                      findings={findings[i] ?? none}
                      yours={yours.lines.filter((l) => l.function === f.name)}
                      finding={finding}
                      onFinding={openFinding}
                      body={(found) => advice && (
                        <>
                          <h4>
                            {found.title}{' '}
                            {found.fix && <span class="badge" title={classes[found.class]}>rewrite: {classText[found.class]}</span>}
                            {' '}<StateBadge state={found.state} />
                          </h4>
                          <FindingBody
                            finding={found}
                            trials={advice.history ?? []}
                            kept={advice.kept}
                            command={adviceCommand({ profiles: state.profile })}
                            within={state}
                            inline
                          />
                        </>
                      )}
                      onLayout={() => setLayout((n) => n + 1)}
                    />
                  ))}
                </div>
                <Rail scroller={scroller} version={`${layout} ${assembly} ${match} ${functions.length} ${marked} ${finding}`} />
              </div>
            )}
          </ReportState>}
        </div>
      </div>
      <OpenInHost />
    </section>
  );
}

/** Orders functions by your costly lines that are in them, the first ones first. */
function yoursFirst(owners: readonly string[], a: string, b: string): number {
  const at = (name: string) => (owners.includes(name) ? owners.indexOf(name) : owners.length);
  return at(a) - at(b);
}

const none: ReadonlyMap<number, readonly Finding[]> = new Map();

/** How far advice is, and how many lines here have some. */
function AdviceNote({ advising, marked, state }: { advising: Advising; marked: number; state: State }) {
  const { answer, progress, error } = advising;
  const there = inView(state, 'advice');
  const text = error ? 'No advice' : answer ? marked > 0 && `Advice on ${plural(marked, 'line')}` : progress ? 'Looking for advice …' : '';
  return (
    <span class="advice-told" role="status">
      {text && (
        <a href={href(there)} onClick={follow(() => go(there))} {...tip(error?.message ?? progress?.stage ?? 'All findings', 'g v')}>
          {text}
        </a>
      )}
    </span>
  );
}

function heat(row: HTMLElement): number {
  return Number(row.dataset['heat']);
}
