// The bar above the list: which regressions, in which order.

import type { Regression } from '../../api/regressions';
import { pageHref, setPage, type PageState } from '../../state/pages';
import { follow } from '../link';
import { Button, tip } from '../parts';
import { saveTable } from '../table/csv';
import { Find } from '../table/Find';
import { count } from '../table/format';
import type { Column } from '../table/Table';
import { ALL } from './order';
import { costText, growthText, kindTitle, sentenceText } from './words';

const STATES: readonly { state: string; title: string; about: string }[] = [
  { state: 'open', title: 'Open', about: 'Found, and not acknowledged yet' },
  { state: 'acknowledged', title: 'Acknowledged', about: 'Someone knows about them' },
  { state: 'resolved', title: 'Resolved', about: 'The cost is as before: hone checks that once per hour' },
  { state: ALL, title: 'All', about: 'In any state' },
];

interface Props {
  state: PageState;
  all: readonly Regression[];
  rows: readonly Regression[];
  counts: Readonly<Record<string, number>>;
}

export function FilterBar({ state, all, rows, counts }: Props) {
  const names = (of: (r: Regression) => string, chosen: string) =>
    [...new Set([...all.map(of), ...(chosen ? [chosen] : [])])].sort((a, b) => (a < b ? -1 : 1));
  return (
    <div class="pane-bar">
      <Find label="Find regressions" value={state.find} onChange={(find) => setPage({ find })} />
      <nav class="regression-states" aria-label="State">
        {STATES.map(({ state: to, title, about }) => {
          const change = { state: to === 'open' ? '' : to, id: '' };
          return (
            <a
              key={to}
              class="header-link"
              href={pageHref({ ...state, ...change })}
              aria-current={(state.state || 'open') === to ? 'true' : undefined}
              onClick={follow(() => setPage(change, 'push'))}
              {...tip(about)}
            >
              {title} <span class="regression-count">{count(counts[to] ?? 0)}</span>
            </a>
          );
        })}
      </nav>
      <Choice
        label="Service" value={state.service} all="All services" onChange={(service) => setPage({ service, id: '' }, 'push')}
        options={names((r) => r.service, state.service).map((name) => [name, name])}
      />
      <Choice
        label="Kind" value={state.kind} all="All kinds" onChange={(kind) => setPage({ kind, id: '' }, 'push')}
        options={names((r) => r.kind, state.kind).map((kind) => [kind, kindTitle(kind)])}
      />
      <Choice
        label="Order" value={state.order} all="Costliest first" onChange={(order) => setPage({ order })}
        options={[['latest', 'Latest first']]}
      />
      <span class="grow" />
      <Button
        icon="download"
        class="regression-csv"
        disabled={rows.length === 0}
        onClick={() => saveTable('regressions.csv', FILE, rows)}
      >
        CSV
      </Button>
    </div>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  /** What '' stands for. */
  all: string;
  options: readonly (readonly [value: string, title: string])[];
  onChange: (value: string) => void;
}

function Choice({ label, value, all, options, onChange }: ChoiceProps) {
  return (
    <label class="picklist">
      <span class="visually-hidden">{label}</span>
      <select value={value} onChange={(e) => onChange(e.currentTarget.value)}>
        <option value="">{all}</option>
        {options.map(([to, title]) => <option key={to} value={to}>{title}</option>)}
      </select>
    </label>
  );
}

const column = (title: string, text: (r: Regression) => string): Column<Regression> => ({ id: title, title, cell: () => null, text });
const time = (t: number) => (t > 0 ? new Date(t).toISOString() : '');

/** The columns of a file. */
const FILE: readonly Column<Regression>[] = [
  column('ID', (r) => r.id), column('State', (r) => r.state), column('Service', (r) => r.service), column('Kind', (r) => r.kind),
  column('Version', (r) => r.version), column('Since', (r) => time(r.since)), column('Function', (r) => r.function),
  column('With calls', (r) => (r.callees ? 'yes' : 'no')), column('Growth', (r) => growthText(r.growth)),
  column('At least', (r) => growthText(r.low)), column('At most', (r) => growthText(r.high)),
  column('Before', (r) => costText(r.before, r)), column('After', (r) => costText(r.after, r)),
  column('Instances', (r) => String(r.instances)), column('Affected', (r) => String(r.affected)),
  column('Causes', (r) => r.causes.map((c) => c.function).join(' ')), column('New', (r) => r.new.join(' ')),
  column('Acknowledged by', (r) => r.by), column('Reason', (r) => r.reason), column('Resolved', (r) => time(r.resolved)),
  column('Sentence', sentenceText),
];
