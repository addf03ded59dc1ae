import { useMemo, useState } from 'preact/hooks';
import type { AsmInst, Disassembly, Quantity } from '../../api/types';
import { columnFigures } from '../../model/column';
import type { ApiError } from '../../api/client';
import { exactly, writtenIn } from '../../state/pattern';
import { useReport } from '../../state/report';
import { queryOf, selectFunction } from '../../state/state';
import { Button, Empty, ReportState } from '../parts';
import { hex, percentText } from '../table/format';
import { FunctionList } from '../table/FunctionList';
import { FunctionName } from '../table/FunctionName';
import { pathEnd } from '../table/names';
import { extend } from '../table/query';
import { openSource } from '../table/select';
import { useShownFunction } from '../table/useShownFunction';
import { Table, type Column } from '../table/Table';
import { NoSamples } from '../NoSamples';
import type { ViewProps } from '../props';
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
              {({ report }) => <Routines key={fn} report={report} />}
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
      <p>
        hone reads machine code from the profiled program. Put it where the profile says it was, name it before the profile
        (<code>hone ui PROGRAM PROFILE</code>), or set <code>PPROF_BINARY_PATH</code> to its folder.
      </p>
    </Empty>
  );
}

function Routines({ report }: { report: Disassembly }) {
  const [shown, setShown] = useState(0);
  const routine = report.routines[Math.min(shown, report.routines.length - 1)]!;
  const [at, setAt] = useState<number | null>(null);
  const hottest = useMemo(() => {
    let best = 0;
    routine.instructions.forEach((inst, i) => {
      if (Math.abs(inst.flat.value) > Math.abs(routine.instructions[best]!.flat.value)) best = i;
    });
    return best;
  }, [routine]);
  const most = useMemo(() => Math.max(1, ...routine.instructions.map((i) => Math.abs(i.cum.value))), [routine]);
  const columns = useMemo(
    () => columnsOf(most, columnFigures(routine.instructions.flatMap((i) => [i.flat, i.cum]), report.unit)),
    [most, routine, report],
  );
  return (
    <>
      <div class="pane-bar">
        <h2><FunctionName place={{ name: routine.name }} /></h2>
        <span class="soft num">flat {routine.flat.text} · cum {routine.cum.text} ({percentText(routine.cum.percent)})</span>
        <span class="grow" />
        {report.routines.length > 1 && (
          <select
            class="find disasm-pick"
            aria-label="Routine"
            value={shown}
            onChange={(e) => { setShown(Number(e.currentTarget.value)); setAt(null); }}
          >
            {report.routines.map((r, i) => <option key={i} value={i}>{r.name} ({r.flat.text})</option>)}
          </select>
        )}
        <Button kind="plain" onClick={() => openSource(routine.name)}>Source</Button>
      </div>
      <Table<AsmInst>
        label={`Instructions of ${routine.name}`}
        columns={columns}
        count={routine.instructions.length}
        row={(i) => routine.instructions[i]}
        rowKey={(_, i) => String(i)}
        selected={at ?? hottest}
        onSelect={(_, i) => setAt(i)}
        dim={(i) => i.cum.value === 0}
      />
    </>
  );
}

function columnsOf(most: number, figure: (q: Quantity) => string): readonly Column<AsmInst>[] {
  const value = (q: Quantity) => (q.value === 0 ? '' : figure(q));
  const place = (i: AsmInst) => (i.file ? `${pathEnd(i.file, 1)}:${i.line ?? 0}` : '');
  return [
    {
      id: 'flat', title: 'Flat', width: '6rem', align: 'right', cell: (i) => value(i.flat), text: (i) => i.flat.text,
      share: (i) => (100 * i.flat.value) / most,
    },
    {
      id: 'cum', title: 'Cum', width: '6rem', align: 'right', from: 34, cell: (i) => value(i.cum), text: (i) => i.cum.text,
      share: (i) => (100 * i.cum.value) / most,
    },
    {
      id: 'address', title: 'Address', width: '8rem', align: 'right', from: 44, kind: () => 'soft mono', cell: (i) => hex(i.address),
      text: (i) => hex(i.address),
    },
    { id: 'text', title: 'Instruction', kind: () => 'mono', cell: (i) => <span class="asm">{i.text}</span>, text: (i) => i.text },
    {
      id: 'place', title: 'Source', width: '16rem', from: 64, kind: () => 'soft mono',
      cell: (i) => <span class="traces-cut" title={i.file ? `${i.function ?? ''} ${i.file}:${i.line ?? 0}` : undefined}>{place(i)}</span>,
      text: place,
    },
  ];
}
