import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { FunctionChange, OverviewService, ServiceComparison, Usage } from '../../api/continuous';
import { bareName } from '../../model/names';
import { formatShare } from '../../model/units';
import { goPage, pageHref } from '../../state/pages';
import { openIn } from '../../state/regressions';
import { inOrder, lengthText, MINUTE, timeText, zoneText, type Span } from '../../state/selection';
import { chosenState, fresh } from '../../state/selected';
import { go, href, type State } from '../../state/state';
import { compareVersions } from '../continuous/Against';
import { costWay, costWords } from '../continuous/words';
import { follow } from '../link';
import { IconButton } from '../parts';
import { count, plural } from '../table/format';
import { Wrapping } from '../table/FunctionName';
import type { Column } from '../table/Table';
import { compared, useChanges, useFindings } from './changes';
import { functionState, kindState, mainKind, momentState, windowOf } from './links';
import {
  callerAndVia, eachText, functionText, functionTitle, meanText, momentText, nameForms, outline, overText, placeOf, totalText, usageText,
  type Measure,
} from './usage';

export interface Row {
  service: OverviewService;
  /** In the order of the server: by cost. */
  place: number;
  /** The windows of its lines, and their length. */
  span: Span;
  step: number;
  silent: boolean;
  now: number;
  /** How many functions there is room for. */
  lines: number;
  /** There is room for what is compared. */
  caption: boolean;
  /** A function and its figure have room in one line. */
  wide: boolean;
}

/** The columns, with findings if the server has source; narrow: what was found is below the name. */
export const columnsOf = (source: boolean, narrow: boolean): readonly Column<Row>[] => [
  {
    id: 'service', title: 'Service', order: 'ascending', width: 'minmax(10.5rem, 1.2fr)',
    cell: (r) => (narrow ? <BriefCell row={r} /> : <NameCell row={r} />), text: (r) => r.service.name,
  },
  usageColumn('cpu', 'CPU', 'cpu', 0, (s) => s.cpu),
  usageColumn('memory', 'Memory', 'heap', 32, (s) => s.memory),
  usageColumn('goroutines', 'Goroutines', 'goroutine', 40, (s) => s.goroutines),
  {
    id: 'top', title: 'Most time in', from: 76, width: 'minmax(12rem, 1.4fr)', cell: (r) => <TopCell row={r} />, text: topText,
    about: 'Your most expensive functions, including what they call in libraries',
  },
  {
    id: 'version', title: 'Since the version before', order: 'descending', from: 52, width: 'minmax(13rem, 1.7fr)',
    about: 'What changed most since the version before. Sorts by when the version began',
    cell: (r) => <ChangeCell row={r} since="version" />, text: (r) => changesText(r, 'version'),
  },
  {
    id: 'yesterday', title: 'Since yesterday', about: 'What changed most since the same hours of yesterday', from: 72,
    width: 'minmax(13rem, 1.7fr)', cell: (r) => <ChangeCell row={r} since="yesterday" />, text: (r) => changesText(r, 'yesterday'),
  },
  ...(source
    ? [{
        id: 'findings', title: 'Findings', about: 'Advice worth taking', from: 60, width: '6rem',
        cell: (r: Row) => <FindingsCell row={r} />,
      }]
    : []),
  { id: 'running', title: 'Version', from: 9999, cell: () => null, text: (r) => r.service.version },
  { id: 'instances', title: 'Instances', from: 9999, cell: () => null, text: (r) => String(r.service.instances) },
  { id: 'last', title: 'Seen', from: 9999, cell: () => null, text: (r) => new Date(r.service.last).toISOString() },
];

const WIDTHS: Record<Measure, number> = { cpu: 8, memory: 7.5, goroutines: 6.25 };

function usageColumn(
  measure: Measure, title: string, kind: string, from: number, of: (s: OverviewService) => Usage | undefined,
): Column<Row> {
  return {
    id: measure, title, order: 'descending', width: `minmax(${WIDTHS[measure]}rem, 0.6fr)`, ...(from && { from }),
    about: `${title} of all instances in the last hour; the line is an average instance`,
    cell: (r) => <UsageCell row={r} measure={measure} kind={kind} use={of(r.service)} />,
    text: (r) => String(of(r.service)?.now ?? ''),
  };
}

const minute = (now: number) => Math.ceil(now / MINUTE) * MINUTE;

interface LinkProps {
  to: () => State;
  class: string;
  title?: string;
  label?: string;
  children: ComponentChildren;
}

/** A link of a cell, reached by Enter and the menu rather than by Tab. */
function CellLink({ to, class: name, title, label, children }: LinkProps) {
  return (
    <a class={name} title={title} aria-label={label} tabIndex={-1} href={href(to())} onClick={follow(() => go(to()))}>{children}</a>
  );
}

function NameCell({ row: { service: s, silent, now } }: { row: Row }) {
  const at = minute(now);
  const seen = `Last profile: ${timeText(s.last, true)} ${zoneText(s.last)}`;
  const parts = [
    s.since > 0 ? `${lengthText(Math.max(0, now - s.since))} old` : '',
    s.running > 1 ? `with ${plural(s.running - 1, 'other version')}` : '',
  ].filter(Boolean);
  return (
    <div class="start-cell">
      <span class={silent ? 'seen seen-silent' : 'seen'} title={seen}>
        <i aria-hidden="true" />
        <CellLink class="service-link cut" to={() => kindState(s, mainKind(s), at)}>{s.name}</CellLink>
        <span class={silent ? 'start-silent' : 'visually-hidden'}>{silent ? `silent for ${lengthText(now - s.last)}` : 'live'}</span>
        {s.instances > 0 && !silent && <span class="start-silent">{plural(s.instances, 'instance')}</span>}
      </span>
      <span class="start-line" title={s.since > 0 ? `${s.version} since ${timeText(s.since)} ${zoneText(s.since)}` : undefined}>
        {s.version && <span class="cut mono">{s.version}</span>}
        {parts.length > 0 && <span class="start-age">{parts.join(', ')}</span>}
        {s.versions > 1 && (
          <IconButton
            icon="compare"
            tabIndex={-1}
            label={`Compare the two latest versions of ${s.name}`}
            onClick={(e) => { e.stopPropagation(); void compareVersions(s.name, mainKind(s)); }}
          />
        )}
        <OpenRegressions service={s.name} />
      </span>
      <span class="start-line kind-links">
        {inOrder(s.kinds.map((k) => k.kind)).map((kind) => (
          <CellLink key={kind} class="kind-link" to={() => kindState(s, kind, at)}>{kind}</CellLink>
        ))}
      </span>
    </div>
  );
}

/** A service with the first function, and the first that changed. */
function BriefCell({ row }: { row: Row }) {
  const brief = { ...row, caption: false };
  return (
    <div class="start-cell start-brief">
      <NameCell row={row} />
      <TopCell row={{ ...brief, lines: 1 }} />
      <ChangeCell row={{ ...brief, lines: 2, wide: true }} since="version" />
    </div>
  );
}

/** How many regressions of a service are open, if any. */
function OpenRegressions({ service }: { service: string }) {
  const n = openIn(service);
  if (n === 0) return null;
  const what = `${plural(n, 'open regression')} of ${service}`;
  const to = { page: 'regressions', service } as const;
  return (
    <a class="start-regressions" tabIndex={-1} href={pageHref(to)} aria-label={what} title={what} onClick={follow(() => goPage(to))}>
      ▲ {count(n)}
    </a>
  );
}

interface UsageProps {
  row: Row;
  measure: Measure;
  kind: string;
  use: Usage | undefined;
}

function UsageCell({ row, measure, kind, use }: UsageProps) {
  const { service, span, step, now } = row;
  const [at, setAt] = useState<number | null>(null);
  if (!use) return <span class="soft" title={`No profiles of kind ${kind} in the last day`}>–</span>;
  const deployed = placeOf(service.since, span);
  const last = use.values.length - 1;
  const point = (e: PointerEvent & { currentTarget: Element }) => {
    const { left, width } = e.currentTarget.getBoundingClientRect();
    setAt(Math.round(Math.min(1, Math.max(0, (e.clientX - left) / width)) * last));
  };
  const pointed = at === null ? null : windowOf(Math.min(at, last), span, step);
  const to = () => momentState(service, kind, pointed ?? windowOf(last, span, step), span);
  return (
    <div class="start-cell start-usage" title={pointed ? undefined : meanText(use, measure)}>
      <CellLink class="start-value" to={() => kindState(service, kind, minute(now))}>
        {use.now === null ? '–' : usageText(use.now, measure)}
      </CellLink>
      <span class="start-each cut">
        {pointed ? momentText(pointed, use.values[at!] ?? null, measure) : eachText(use.now, service.instances, measure)}
      </span>
      <a
        class="spark-link"
        tabIndex={-1}
        href={href(to())}
        aria-label={`${service.name}, ${kind}: open a time of the day`}
        title={pointed ? 'Opens this time' : undefined}
        onPointerDown={point}
        onPointerMove={point}
        onPointerLeave={() => setAt(null)}
        onClick={follow(() => go(to()))}
      >
        <svg class="spark" viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true" focusable="false">
          {deployed !== null && <path class="spark-deployed" d={`M${deployed.toFixed(1)} 0V20`} />}
          <path d={outline(use.values)} />
          {at !== null && <path class="spark-at" d={`M${((100 * at) / Math.max(1, last)).toFixed(1)} 0V20`} />}
        </svg>
      </a>
    </div>
  );
}

interface EntryProps {
  name: string;
  figure: string;
  wide: boolean;
  to: () => State;
}

/** How many characters of a name have room in a line of a column. */
const FITS = 19;

/** A function with its figure. Its name is shortened to the room in a line, or has two. */
function FunctionEntry({ name, figure, wide, to }: EntryProps) {
  const [long, bare, method] = nameForms(name);
  if (!wide) {
    const [caller, via] = callerAndVia(name);
    return (
      <>
        <span class={via ? 'start-words start-via' : 'start-words'}>
          <CellLink class="start-name-whole" title={name} label={long} to={to}>
            <Wrapping text={via && caller.length > FITS ? bareName(caller) : caller} />
          </CellLink>
          {via && <span>{via}</span>}
        </span>
        <span class="start-figure start-first">{figure}</span>
      </>
    );
  }
  return (
    <>
      <CellLink class="start-name" title={name} label={long} to={to}>
        <span class="name-long">{long}</span>
        <span class="name-bare">{bare}</span>
        <span class="name-method">{method}</span>
      </CellLink>
      <span class="start-figure">{figure}</span>
    </>
  );
}

/** Shown while an answer is on its way, or if it failed. */
function Unknown({ error }: { error: string | undefined }) {
  return error === undefined
    ? <span class="start-waiting" aria-busy="true"><span class="visually-hidden">Loading…</span></span>
    : <span class="soft" title={error}>unknown</span>;
}

function TopCell({ row: { service, now, lines, wide } }: { row: Row }) {
  const { value, error } = useChanges(service.name, now);
  if (!value) return <Unknown error={error} />;
  return (
    <ol class="start-cell start-list">
      {value.top.slice(0, lines).map((f) => (
        <li key={f.name}>
          <FunctionEntry
            name={f.name}
            figure={formatShare(f.share)}
            wide={wide}
            to={() => functionState(service, value.kind, f.name, minute(now))}
          />
        </li>
      ))}
    </ol>
  );
}

function ChangeCell({ row: { service, now, lines: room, caption, wide }, since }: { row: Row; since: 'version' | 'yesterday' }) {
  const { value, error } = useChanges(service.name, now);
  if (!value) return <Unknown error={error} />;
  const c = value[since];
  if (!c) {
    const why = since === 'yesterday' ? 'No profiles a day before' : service.versions > 1 ? 'Too early to tell' : 'No version before';
    return <span class="soft">{why}</span>;
  }
  // A total has a line, and so has a function where there is much room, else two.
  const left = (wide ? room : 2 * room) - Number(caption) - c.totals.length;
  const lines = [
    ...c.totals.map((t) => ({ ...totalText(t, c.unit), grew: t.sure > 0, cost: Math.sign(t.sure), name: '' })),
    ...c.functions.slice(0, Math.max(0, Math.floor(wide ? left : left / 2))).map((f) => ({
      title: f.name, name: f.name, change: functionText(f, c),
      about: `${functionTitle(f, c)}${c.per_request ? '' : `; ${costWords(f)}`}`, grew: f.sure > 0, cost: costWay(f),
    })),
  ];
  if (lines.length === 0) return <span class="soft" title={judged(c)}>No sure change</span>;
  return (
    <ul class="start-cell start-list" title={judged(c)}>
      {caption && <li class="start-caption">{overText(c)}</li>}
      {lines.map((l) => (
        <li key={l.title} title={l.about}>
          <Way {...l} />
          {l.name ? <FunctionEntry name={l.name} figure={l.change} wide={wide} to={() => chosenState(c, l.name)} /> : (
            <>
              <CellLink class="start-name start-total" to={() => chosenState(c)}>{l.title}</CellLink>
              <span class={`start-figure${wide ? '' : ' start-first'}`}>{l.change}</span>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Whether something grew, coloured if it costs more or less. */
function Way({ grew, cost }: { grew: boolean; cost: number }) {
  const kind = cost > 0 ? ' start-more' : cost < 0 ? ' start-less' : '';
  return <span class={`start-way${kind}`} role="img" aria-label={grew ? 'more' : 'less'}>{grew ? '▲' : '▼'}</span>;
}

const judged = (c: ServiceComparison): string => (c.per_request ? 'Cost per request. ' : 'Share of the profile. ')
  + (c.instances > 1 ? `Judged by how much ${c.instances} instances differ` : 'Judged by the number of samples');

function FindingsCell({ row: { service, now } }: { row: Row }) {
  if (mainKind(service) !== 'cpu') return null;
  return <CPUFindings name={service.name} now={now} />;
}

function CPUFindings({ name, now }: { name: string; now: number }) {
  const { value, error } = useFindings(name, now);
  if (!value) return <Unknown error={error} />;
  if (value.count === 0) return <span class="soft">none</span>;
  return (
    <CellLink class="start-value" title={value.first} to={() => ({ ...fresh({ q: '' }, 'advice'), profile: [value.profile] })}>
      {plural(value.count, 'finding')}
    </CellLink>
  );
}

const topText = (r: Row): string => (compared(r.service.name)?.top ?? []).map((f) => `${f.name} ${formatShare(f.share)}`).join('; ');

function changesText(r: Row, since: 'version' | 'yesterday'): string {
  const c = compared(r.service.name)?.[since];
  const told = (f: FunctionChange) => `${f.name} ${functionText(f, c!)}`;
  return [...(c?.totals ?? []).map((t) => `${totalText(t).title} ${totalText(t).change}`), ...(c?.functions ?? []).map(told)].join('; ');
}
