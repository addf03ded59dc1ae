import { useMemo, useState } from 'preact/hooks';
import type { AsmInst, Disassembly, Quantity } from '../../api/types';
import { columnFigures } from '../../model/column';
import { shortName } from '../../model/names';
import type { ApiError } from '../../api/client';
import { exactly, writtenIn } from '../../state/pattern';
import { showsMine } from '../../state/profiles';
import { useReport } from '../../state/report';
import { queryOf, selectFunction, setOwn, stored, type State } from '../../state/state';
import { folds } from '../source/folds';
import { Button, Empty, ReportState, tip, useKeys } from '../parts';
import { count, hex, percentText, plural } from '../table/format';
import { FunctionList } from '../table/FunctionList';
import { FunctionName } from '../table/FunctionName';
import { pathEnd } from '../table/names';
import { extend } from '../table/query';
import { openSource } from '../table/select';
import { useShownFunction } from '../table/useShownFunction';
import { Table, type Column } from '../table/Table';
import { NoSamples } from '../NoSamples';
import type { ViewProps } from '../props';
import { COSTS } from '../vocabulary';
import '../table/pane.css';
import './disasm.css';

/** Cost per instruction of a function: the selected one, or the costliest. */
export default function DisasmView({ state }: ViewProps) {
  const { fn, loading } = useShownFunction(state);
  const asm = useReport<Disassembly>('disasm', fn ? extend(queryOf(state), { match: exactly(writtenIn(fn) || fn) }) : null);
  return (
    <section class="pane" aria-label="Disassembly">
      <div class="split">
        <FunctionList state={state} by="flat" shown={fn} functions onOpen={selectFunction} />
        <div class="split-main">
          {fn ? (
            <ReportState loading={asm} failure={failure} empty={({ report }) => (report.routines.length > 0 ? undefined : noCode())}>
              {({ report }) => <Routines key={fn} report={report} state={state} />}
            </ReportState>
          ) : <ReportState loading={loading}>{() => <NoSamples />}</ReportState>}
        </div>
      </div>
    </section>
  );
}

function noCode() {
  return <Empty title="No machine code"><p>No instruction of this function has samples.</p></Empty>;
}

/** Machine code needs the program; source does not. */
function failure(error: ApiError) {
  if (error.status !== 422) return undefined;
  return (
    <Empty title="No machine code" icon="warning">
      {!error.message.startsWith('no matches') && <p class="message-cause">{error.message}</p>}
      <p>
        hone can’t find the program, or no instruction of this function was sampled.
      </p>
      {stored.value ? <p>Set <code>binary_path</code> in the server’s configuration to the folder of the profiled program.</p> : (
        <p>
          hone reads machine code from the profiled program. Put it where the profile says it was, name it before the profile
          (<code>hone ui PROGRAM PROFILE</code>), or set <code>PPROF_BINARY_PATH</code> to its folder.
        </p>
      )}
    </Empty>
  );
}

/** A row of the table: an instruction, or a stretch without samples that is folded away. */
type Row = { at: number; inst: AsmInst } | { at: number; folded: number };

const SKID = 'Samples often fall on the instruction after the slow one';
const WORTH = 0.05; // of the hottest: what steps from one hot instruction to the next stop at

function Routines({ report, state }: { report: Disassembly; state: State }) {
  const folded = showsMine(state);
  const [shown, setShown] = useState(0);
  const routine = report.routines[Math.min(shown, report.routines.length - 1)]!;
  const { instructions } = routine;
  const [at, setAt] = useState<number | null>(null); // by instruction
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set()); // folds, by their first instruction
  const heats = useMemo(() => heatsOf(instructions), [instructions]);
  const hottest = heats.indexOf(Math.max(...heats));
  const whole = state.own.fold === 'none';
  const rows = useMemo(
    () => folds(instructions.length, (i) => whole || instructions[i]!.cum.value !== 0).flatMap((part): Row[] => (
      part.folded && !open.has(part.first)
        ? [{ at: part.first, folded: part.end - part.first }]
        : instructions.slice(part.first, part.end).map((inst, i) => ({ at: part.first + i, inst }))
    )),
    [instructions, open, whole],
  );
  const sampled = useMemo(() => instructions.filter((i) => i.cum.value !== 0).length, [instructions]);
  const figure = useMemo(() => columnFigures(instructions.flatMap((i) => [i.flat, i.cum]), report.unit), [routine, report]);
  const columns = useMemo(() => {
    const most = instructions.reduce((m, i) => Math.max(m, Math.abs(i.cum.value)), 1);
    return columnsOf(routine.name, instructions, most, figure);
  }, [routine, figure]);
  const chosen = at ?? hottest;
  const step = (by: 1 | -1) => {
    const least = WORTH * heats[hottest]!;
    for (let i = chosen + by; i >= 0 && i < instructions.length; i += by) {
      const size = heats[i]!;
      if (size > 0 && size >= least) return setAt(i);
    }
  };
  useKeys('Disassembly', [
    { keys: ']', label: 'Next hot instruction', run: () => step(1) },
    { keys: '[', label: 'Previous hot instruction', run: () => step(-1) },
  ]);
  return (
    <>
      <div class="pane-bar">
        <h2><FunctionName place={{ name: routine.name }} /></h2>
        <span class="soft num">
          self {figure(routine.flat)} with inlined calls{folded && ' and calls outside your code'} · total {figure(routine.cum)}{' '}
          ({percentText(routine.cum.percent)})
        </span>
        <span class="grow" />
        {report.routines.length > 1 && (
          <select
            class="find disasm-pick"
            aria-label="Routine"
            value={shown}
            onChange={(e) => { setShown(Number(e.currentTarget.value)); setAt(null); setOpen(new Set()); }}
          >
            {report.routines.map((r, i) => <option key={i} value={i}>{r.name} ({r.flat.text})</option>)}
          </select>
        )}
        <span class="segments" role="group" aria-label="Hot instructions">
          <Button icon="up" aria-label="Previous hot instruction" onClick={() => step(-1)} {...tip('Previous hot instruction', '[')} />
          <Button icon="down" aria-label="Next hot instruction" onClick={() => step(1)} {...tip('Next hot instruction', ']')} />
        </span>
        <Button
          aria-pressed={whole}
          onClick={() => setOwn('fold', whole ? '' : 'none', 'replace')}
          {...tip('Also the long stretches without samples')}
        >
          All code
        </Button>
        <Button kind="plain" onClick={() => openSource(routine.name)}>Source</Button>
      </div>
      <Table<Row>
        label={`Instructions of ${routine.name}`}
        columns={columns}
        count={rows.length}
        row={(i) => rows[i]}
        rowKey={(r) => String(r.at)}
        selected={rows.findIndex((r) => r.at === chosen)}
        onSelect={(r) => setAt(r.at)}
        onPick={(r) => { if ('folded' in r) setOpen(new Set(open).add(r.at)); }}
        onOpen={(r) => { if ('folded' in r) setOpen(new Set(open).add(r.at)); }}
        dim={(r) => 'folded' in r || r.inst.cum.value === 0}
      />
      <div class="pane-facts">
        <span>{plural(instructions.length, 'instruction')}, {count(sampled)} with samples</span>
        <span title={SKID}>{hottestText(instructions[hottest]!, routine.cum)}</span>
        <span class="disasm-skid">{SKID}</span>
      </div>
    </>
  );
}

/** What each instruction costs, with what it calls: a call may cost most of its function, and nothing itself. */
const heatsOf = (instructions: readonly AsmInst[]): readonly number[] => instructions.map((i) => Math.abs(i.cum.value));

/** What the hottest one is. */
function hottestText({ text, flat, cum }: AsmInst, all: Quantity): string {
  const share = all.value === 0 ? '' : `, ${percentText((100 * cum.value) / all.value)} of total`;
  const calls = cum.value === flat.value ? '' : ' with what it calls';
  return `Hottest: ${text.trim()} (${cum.text}${calls}${share})`;
}

function columnsOf(
  routine: string, instructions: readonly AsmInst[], most: number, figure: (q: Quantity) => string,
): readonly Column<Row>[] {
  const value = (q: Quantity) => (q.value === 0 ? '' : figure(q));
  const placeOf = (i: AsmInst) => (i.file ? `${pathEnd(i.file, 1)}:${i.line ?? 0}` : '');
  const inlined = (i: AsmInst) => (i.function && i.function !== routine ? i.function : '');
  const of = (text: (i: AsmInst) => string) => (r: Row) => ('inst' in r ? text(r.inst) : '');
  /** A line is named where its code begins, and where it has samples. */
  const begins = (at: number) => {
    const [i, before] = [instructions[at]!, instructions[at - 1]];
    return !before || placeOf(before) !== placeOf(i) || inlined(before) !== inlined(i);
  };
  const share = (q: (i: AsmInst) => Quantity) => (r: Row) => ('inst' in r ? (100 * q(r.inst).value) / most : 0);
  return [
    {
      id: 'flat', title: COSTS.flat.title, about: COSTS.flat.about('instruction'), width: '6rem', align: 'right', from: 34,
      cell: of((i) => value(i.flat)), text: of((i) => i.flat.text), share: share((i) => i.flat),
    },
    {
      id: 'cum', title: COSTS.cum.title, about: COSTS.cum.about('instruction'), width: '6rem', align: 'right',
      cell: of((i) => value(i.cum)), text: of((i) => i.cum.text), share: share((i) => i.cum),
    },
    {
      id: 'address', title: 'Address', width: '6.5rem', align: 'right', from: 52, kind: () => 'soft mono', cell: of((i) => hex(i.address)),
      text: of((i) => hex(i.address)),
    },
    {
      id: 'text', title: 'Instruction', kind: () => 'mono', text: of((i) => i.text),
      cell: (r) => ('inst' in r
        ? <span class="asm" title={r.inst.text}>{r.inst.text}</span>
        : <span class="disasm-fold">{plural(r.folded, 'instruction')} without samples</span>),
    },
    {
      id: 'place', title: 'Source', width: 'minmax(9rem, 38%)', from: 44, kind: () => 'mono',
      cell: (r) => {
        if (!('inst' in r) || !r.inst.file || !(begins(r.at) || r.inst.cum.value !== 0)) return '';
        const { inst } = r;
        const name = inlined(inst);
        return (
          <span class="disasm-place" title={`${inst.function ?? ''} ${inst.file}:${inst.line ?? 0}`}>
            {placeOf(inst)}{name && <span class="soft"> in {shortName(name)}</span>}
          </span>
        );
      },
      text: of(placeOf),
    },
  ];
}
