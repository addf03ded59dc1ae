import type { FunctionHistory, History } from '../../api/continuous';
import { timeText } from '../../state/selection';
import { go, href, selectFunction } from '../../state/state';
import { follow } from '../link';
import { IconButton, openFunctionMenu, useMedia, type MenuItem } from '../parts';
import { percentText, plural } from '../table/format';
import { FunctionName } from '../table/FunctionName';
import type { Order } from '../table/order';
import { openSource } from '../table/select';
import { Table, TWO_LINES, type Column } from '../table/Table';
import {
  changeWords, costText, firstText, highestRate, highestShare, isPerRequest, meanCostText, meanShare, shareText, TONES, versionName,
  versionShares,
} from './history';
import type { Change as Changed } from './historyChange';
import { asideText, costWay } from './words';

interface Props {
  history: History;
  functions: readonly FunctionHistory[];
  cum: boolean;
  order: Order;
  onOrder: (column: string) => void;
  /** The selected function. */
  chosen: string;
  /** The comparison that shows the change of a function. */
  changeOf: (f: FunctionHistory) => Changed | undefined;
  /** Whether the search finds a name. */
  marked: ((name: string) => boolean) | null;
  /** Colours of the functions that have a line. */
  lines: ReadonlyMap<string, number | undefined>;
  onToggle: (name: string) => void;
  /** Takes a function out, where functions were chosen. */
  onRemove: ((name: string) => void) | undefined;
  /** Columns that have no room. */
  onLeftOut: (ids: readonly string[]) => void;
}

/** There, a name and its change have no room beside each other. */
const NARROW = '(width < 48rem)';

/** Functions by version, with what changed and when they came: the legend of the lines, too. */
export function HistoryTable(props: Props) {
  const { history, functions, cum, order, onOrder, chosen, changeOf, marked, lines, onToggle, onRemove, onLeftOut } = props;
  const narrow = useMedia(NARROW);
  const columns = columnsOf(history, functions, cum, changeOf).filter((c) => !narrow || c.id !== 'change');
  columns[0]!.cell = (f, { chars }) => (
    <>
      {lines.has(f.name) || functions.indexOf(f) < TONES ? (
        <button
          type="button"
          class={`history-tick${lines.has(f.name) ? ` tone-${lines.get(f.name) ?? 'chosen'}` : ''}`}
          aria-pressed={lines.has(f.name)}
          aria-label={`Line of ${f.name}`}
          onClick={(e) => { e.stopPropagation(); onToggle(f.name); }}
        >
          <i aria-hidden="true" />
        </button>
      ) : <span class="history-tick" />}
      <span class="history-name">
        <FunctionName place={f} chars={Math.max(8, chars - (onRemove ? 9 : 5))} />
        {narrow && <small><Change of={f} compared={changeOf(f)} /></small>}
      </span>
      {onRemove && (
        <IconButton icon="close" label={`Remove ${f.name}`} onClick={(e) => { e.stopPropagation(); onRemove(f.name); }} />
      )}
    </>
  );
  return (
    <Table<FunctionHistory>
      label="Functions by version"
      columns={columns}
      count={functions.length}
      row={(i) => functions[i]}
      rowKey={(f) => f.name}
      rowRem={TWO_LINES}
      order={order}
      onOrder={onOrder}
      selected={functions.findIndex((f) => f.name === chosen)}
      {...(marked ? { marked: (f: FunctionHistory) => marked(f.name) } : {})}
      onSelect={(f) => selectFunction(f.name)}
      onOpen={(f) => openSource(f.name)}
      onMenu={(f, x, y) => openFunctionMenu(f.name, { x, y }, compareItems(changeOf(f)))}
      onLeftOut={onLeftOut}
      empty="These profiles have no functions."
    />
  );
}

const compareItems = (c: Changed | undefined): MenuItem[] =>
  (c ? [{ label: c.label, icon: 'compare', run: () => go(c.to) }] : []);

/** The columns; the last versions are the first to have room. */
export function columnsOf(
  h: History, functions: readonly FunctionHistory[], cum: boolean, changeOf: (f: FunctionHistory) => Changed | undefined = () => undefined,
): Column<FunctionHistory>[] {
  const shares = new Map(functions.map((f) => [f, versionShares(h, f, cum)]));
  const highest = Math.max(0, ...functions.map((f) => highestRate(h, f, cum)));
  const most = Math.max(1e-9, ...[...shares.values()].flat().map((s) => Math.abs(s ?? 0)));
  // One version is all of the time: it tells nothing that the mean doesn't, nor when a function came.
  const one = h.versions.length <= 1;
  const versions = one ? [] : h.versions;
  const news = !one || functions.some((f) => f.first?.start === false);
  return [
    { id: 'name', title: 'Function', cell: (f) => f.name, text: (f) => f.name },
    {
      id: 'change', title: one ? 'First to last third' : 'Largest change', orderBy: 'change', order: 'descending',
      width: one ? '15rem' : '13.5rem', from: 22,
      about: `Change of the share, from ${one ? 'the first third of the time to the last' : 'one version to the next'}`,
      cell: (f) => <Change of={f} compared={changeOf(f)} />,
      text: (f) => (f.change ? `${percentText(f.change.before)} → ${percentText(f.change.after)} ${f.change.version}`.trim() : ''),
    },
    ...(one ? [{
      id: 'highest', title: 'Highest', about: 'The window with the highest share', width: '10.5rem', align: 'right', from: 38,
      cell: (f) => <Figure share={shareText(highestShare(h, f, cum).share)} cost={timeText(highestShare(h, f, cum).time, false)} />,
      text: (f) => percentText(highestShare(h, f, cum).share),
    } satisfies Column<FunctionHistory>] : []),
    ...(news ? [{
      id: 'first', title: 'First seen', about: 'First version and time in this period', order: 'descending',
      width: one ? '7.5rem' : '12.5rem', from: 46,
      cell: (f) => <span class={f.first?.start === false ? '' : 'soft'}>{firstText(f)}</span>,
      text: (f) => (f.first ? `${f.first.version} ${new Date(f.first.time).toISOString()}`.trim() : ''),
    } satisfies Column<FunctionHistory>] : []),
    {
      id: 'mean', title: 'Mean', order: 'descending',
      about: `Share in all of the time, and the mean cost of ${isPerRequest(h) ? 'a request' : 'an instance'}`,
      width: '6.5rem', align: 'right',
      from: one ? 30 : 54,
      cell: (f) => (
        <Figure
          share={shareText(meanShare(h, f, cum))}
          cost={meanCostText(h, f, cum, highest)}
        />
      ),
      text: (f) => percentText(meanShare(h, f, cum)), ...(one ? {} : { kind: () => 'soft' }),
    },
    ...versions.map((v, i): Column<FunctionHistory> => ({
      id: `version ${v.version}`, title: versionName(v.version), width: '6.5rem', align: 'right',
      about: `Share and cost in ${versionName(v.version)}: ${plural(v.profiles, 'profile')} since ${timeText(v.first, false)}`,
      from: 60 + 6 * (h.versions.length - 1 - i),
      cell: (f) => {
        const share = shares.get(f)?.[i] ?? null;
        if (share === null) return <span class="soft">–</span>;
        const value = (cum ? f.versions.cum : f.versions.flat)[i]!;
        return <Figure share={shareText(share)} cost={costText(h, value, v, highest)} />;
      },
      text: (f) => {
        const share = shares.get(f)?.[i] ?? null;
        return share === null ? '' : percentText(share);
      },
      share: (f) => (100 * (shares.get(f)?.[i] ?? 0)) / most,
    })),
  ];
}

/** A share, with the cost below it. */
function Figure({ share, cost }: { share: string; cost: string }) {
  return <span class="history-figure">{share}{cost && <small>{cost}</small>}</span>;
}

/** How much the share changed the most, and with which version. An arrow and a colour are there if the cost went the same way. */
function Change({ of: f, compared }: { of: FunctionHistory; compared: Changed | undefined }) {
  const c = f.change;
  if (!c) return <span class="soft">–</span>;
  const cost = costWay(c);
  const aside = asideText(c);
  const way = c.sure === 0 ? 'soft' : cost > 0 ? 'history-more' : cost < 0 ? 'history-less' : '';
  return (
    <span class={`history-change ${way}`} title={changeWords(f)}>
      <i aria-hidden="true">{cost === 0 ? '' : cost > 0 ? '▲' : '▼'}</i>
      <span class="history-from">{shareText(c.before)}</span>
      <span aria-hidden="true">→</span>
      <span class="history-to">{shareText(c.after)}</span>
      {compared ? (
        <a
          class="cut"
          tabIndex={-1}
          href={href(compared.to)}
          title={compared.label}
          aria-label={compared.label}
          onClick={(e) => { e.stopPropagation(); follow(() => go(compared.to))(e); }}
        >
          {c.version || 'compare'}
        </a>
      ) : c.version && <b class="cut">{c.version}</b>}
      {aside && <small>{aside}</small>}
    </span>
  );
}
