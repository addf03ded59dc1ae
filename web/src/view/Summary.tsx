import './summary.css';
import type { Margin, Summary as SummaryReport, SummaryLine } from '../api/types';
import { bareName, methodName, shortName, orNoName } from '../model/names';
import { formatRate } from '../model/units';
import { collapsed, setCollapsed } from '../state/summary';
import { useReport } from '../state/report';
import { selected } from '../state/selected';
import { kindOf, REQUESTS } from '../state/selection';
import { go, href, inView, queryOf, state, type State } from '../state/state';
import { Chunk } from './Chunk';
import { CompareViews } from './CompareViews';
import { tooFew } from './facts';
import { follow } from './link';
import { Button, tip } from './parts';
import { intervalText, marginText, plural, shareText } from './table/format';
import { pathEnd } from './table/names';

/** What one wants to know first: the dearest lines of yours, what the runtime had, whether the program did anything; or what changed. */
export default function Summary() {
  const hidden = collapsed.value;
  const { answer } = useReport<SummaryReport>('summary', hidden ? null : queryOf(state.value));
  return (
    <>
      <Button
        kind="plain"
        class="summary-fold"
        icon={hidden ? 'right' : 'down'}
        aria-expanded={!hidden}
        onClick={() => setCollapsed(!hidden)}
      >
        In short
      </Button>
      {!hidden && answer && <Told report={answer.report} />}
      {state.value.base.length > 0 && <CompareViews />}
    </>
  );
}

const changeSummary = () => import('./ChangeSummary');

function Told({ report }: { report: SummaryReport }) {
  const { lines, samples, cores, idle, change } = report;
  const shares = report.shares.filter((s) => s.cost.value !== 0);
  if (change) return <Chunk load={changeSummary} props={{ change }} />;
  if (report.total.value === 0) return null; // the view says why
  const few = tooFew(report);
  const many = selected.value !== null && selected.value.id === '';
  const counts = [
    ...(cores === undefined ? [] : [`${formatRate(cores * 1e9, 'nanoseconds', 'minimum', 'cores')}${many ? '/instance' : ' busy'}`]),
    ...(samples === undefined || few ? [] : [plural(samples, 'sample')]),
  ];
  const facts = [...shares.map((s) => `${s.name} ${shareText(s.cost.percent)}`), ...counts];
  return (
    <div class="summary-told">
      {idle && <strong class="summary-idle">Mostly idle: see what it waits for in a wall or block profile</strong>}
      {few ? <span class="soft">{plural(samples!, 'sample')}: too few to rank lines</span> : lines.length > 0 ? (
        <ol class="summary-lines" aria-label="Your most expensive lines">
          {lines.map((line) => <li key={line.name}><Line line={line} /></li>)}
        </ol>
      ) : kindOf(selected.value?.q ?? '') !== REQUESTS && <span class="soft">No samples in your code</span>}
      <ul class="summary-facts" {...tip(facts.join(', '))}>
        {shares.map(({ name, cost, margin, alone }) => (
          <li
            key={name}
            {...tip(`${cost.text} in the runtime: ${name}${
              alone ? `, ${alone.text} of it in the background, the rest where code calls it` : ''}${between(margin)}`)}
          >
            {name} <b>{shareText(cost.percent)}</b>
            {alone && <span class="summary-alone"> ({shareText(alone.percent)} in background)</span>}
          </li>
        ))}
        {counts.map((text) => <li key={text}>{text}</li>)}
      </ul>
    </div>
  );
}

function Line({ line }: { line: SummaryLine }) {
  const to: Partial<State> = {
    view: 'source', fn: line.function ?? '', own: { ...inView(state.value, 'source').own, at: String(line.line ?? 0) },
  };
  const { cost, margin } = line;
  return (
    <a
      href={href({ ...state.value, ...to })}
      onClick={follow(() => go(to))}
      {...tip(`${line.function ?? ''}: ${cost.text} with calls outside your code, without those of your functions${between(margin)}`)}
    >
      {line.function ? (
        <>
          <span class="summary-fn mono">{orNoName(methodName(bareName(shortName(line.function))))}</span>
          <span class="mono soft"><span class="summary-file"> {pathEnd(line.file ?? '', 1)}</span>:{line.line}</span>
        </>
      ) : <span class="mono soft">{pathEnd(line.file ?? '', 1)}:{line.line}</span>}
      {' '}<b>{shareText(cost.percent)}</b>
      {margin && <span class="soft summary-margin"> {marginText(cost.percent, margin)}</span>}
    </a>
  );
}

const between = (m: Margin | undefined) => (m ? `; ${intervalText(m)} with 95% confidence` : '');
