// What a comparison of runs found about the benchmark whose profiles are shown,
// over every view of them.

import './runs.css';
import { compareRuns } from '../../api/runs';
import { withUnit } from '../../model/quantity';
import { useAnswer } from '../../state/answer';
import { goRuns, rowID, runsHref, runsOf } from '../../state/runs';
import { state } from '../../state/state';
import { follow } from '../link';
import { judgedText, signOf, verdicts } from './words';

export default function Verdict() {
  const { base, profile, own, options } = state.value;
  const runs = base[0] !== undefined && profile[0] !== undefined ? runsOf(base[0], profile[0]) : null;
  const loading = useAnswer(runs && `compare ${runs[0]} ${runs[1]}`, (signal) => compareRuns(runs!, signal));
  if (!runs || loading.error) return loading.error ? <p class="soft">{loading.error.message}</p> : null;
  const family = loading.answer?.report.comparisons[0];
  const shown = loading.answer?.report.shown[0];
  if (!family || !shown) return null;
  const at = family.comparisons.findIndex((c, i) =>
    rowID({ ...(c.package ? { package: c.package } : {}), benchmark: c.benchmark, unit: shown[i]!.unit }) === own.row);
  const c = family.comparisons[at];
  const said = shown[at];
  if (!c || !said) return <p class="soft">The runs have no {own.row} to compare.</p>;
  const same = runs[0].split(':')[0] === runs[1].split(':')[0];
  const page = same
    ? { page: 'run' as const, run: [runs[1].split(':')[0]!], pick: own.row! }
    : { page: 'compare' as const, run: runs, pick: own.row! };
  return (
    <p>
      <b>{c.benchmark}, {said.unit}</b> {withUnit(said.base, said.unit)} → {withUnit(said.head, said.unit)},{' '}
      <b class={verdicts[c.verdict].kind} title={said.verdict}>
        {signOf(c.verdict, c.change, c.scale === 'ratio' ? 1 : 0)} {judgedText(c.verdict, said)}
      </b>
      <span class="soft verdict-more">
        {options['normalize'] === 'true' && options['base_total'] ? ' · scaled to the number of operations after' : ''}
        {' · '}
      </span>
      <a href={runsHref(page)} onClick={follow(() => goRuns(page))}>{same ? 'The run' : 'Comparison'}</a>
    </p>
  );
}
