// The loads of a run, or of two that are compared, on their way from the server.

import { runLoad, type LoadSide, type RunInfo, type RunLoad } from '../../api/runs';
import { useAnswer } from '../../state/answer';
import { rowID, setRuns, type RunsState } from '../../state/runs';
import { Button, Empty, ReportState } from '../parts';
import { LoadView } from './LoadView';
import type { ShownLoad } from './loadWords';
import { pairs, profilesOf, type ProfilePair } from './ProfileLinks';
import { sideNames } from '../vocabulary';

/** Whether the charts of a load are shown: of one by itself unless asked otherwise, of a comparison on demand. */
export const showsLoad = (state: RunsState, usual: boolean): boolean => (state.show === '' ? usual : state.show === 'load');

/** Chooses between the charts of a load, the figures and advice. */
export function ShowPicker({ state, usual, load, advice }: { state: RunsState; usual: boolean; load: boolean; advice?: boolean }) {
  const charts = load && showsLoad(state, usual);
  const advises = advice === true && state.show === 'advice';
  return (
    <span class="segments" role="group" aria-label="Show">
      {load && <Button aria-pressed={charts} onClick={() => setRuns({ show: usual ? '' : 'load' })}>Load</Button>}
      <Button aria-pressed={!charts && !advises} onClick={() => setRuns({ show: load && usual ? 'figures' : '' })}>Figures</Button>
      {advice && <Button aria-pressed={advises} onClick={() => setRuns({ show: 'advice' })}>Advice</Button>}
    </span>
  );
}

/** A side of a run: the head, or what it was measured against. */
export interface SideOf {
  info: RunInfo;
  side: 'head' | 'base';
}

/** The sides of one run, or of each run that is given one of its own. */
export function LoadPane({ state, of }: { state: RunsState; of: readonly SideOf[] }) {
  const ids = [...new Set(of.map((o) => o.info.id))];
  const loading = useAnswer(`load ${ids.join(' ')}`, async (signal) => {
    const loads = await Promise.all(ids.map((id) => runLoad(id, signal)));
    return { loads };
  });
  return (
    <ReportState loading={loading} skeleton="area" quiet>
      {({ report: { loads } }) => {
        const found = of.flatMap((o) => {
          const load = loads.find((l) => l.id === o.info.id);
          const side = load?.sides.find((s) => s.side === o.side);
          return load && side ? [{ ...o, load, shown: side }] : [];
        });
        const names = found.length === 1 ? [''] : [sideNames.base, sideNames.head];
        const shown: ShownLoad[] = found.map((f, i) => ({ name: names[i]!, side: f.shown }));
        if (shown.length === 0) return <Empty title="Nothing was measured"><p>The load ended before its first period did.</p></Empty>;
        return <LoadView state={state} loads={shown} profiles={profilesBeside(found)} />;
      }}
    </ReportState>
  );
}

/** The profiles of the loads; of two they compare, for as many requests. */
function profilesBeside(found: readonly (SideOf & { load: RunLoad; shown: LoadSide })[]): ProfilePair[] {
  const [base, head] = found.length > 1 ? found : [undefined, found[0]];
  const profiles = (f: typeof head) => (f ? profilesOf(f.info.profiles, f.load.package, f.load.benchmark, f.side) : []);
  return pairs(profiles(head), profiles(base)).map((p) => {
    const unit = { cpu: 'cpu-ns/op', allocs: 'B/op' }[p.kind];
    const cost = (f: typeof head) => f?.shown.costs?.find((c) => c.unit === unit)?.value;
    const [before, after] = [cost(base), cost(head)];
    if (!before || !after) return p;
    const row = { package: head!.load.package, benchmark: head!.load.benchmark, unit: unit === 'B/op' ? unit : 'cpu-sec/op' };
    return { ...p, finding: { row: rowID(row), ratio: before / after } };
  });
}
