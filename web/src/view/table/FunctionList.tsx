// The functions beside a view that is about one of them.

import { useMemo, useState } from 'preact/hooks';
import type { Top, TopRow } from '../../api/types';
import { patternOf } from '../../state/pattern';
import { useReport } from '../../state/report';
import { queryOf, selectFunction, setOwn, type State } from '../../state/state';
import { Button, openFunctionMenu, ReportState } from '../parts';
import { Find } from './Find';
import { percentText, shareText, signedText, wayOf } from './format';
import { FunctionName } from './FunctionName';
import { selects } from './names';
import { extend, untrimmed } from './query';
import { Table, type Column } from './Table';
import { nextRow } from './range';
import { useSearch, useStable } from './useSearch';
import { COSTS } from '../vocabulary';
import './pane.css';

type Cost = keyof typeof COSTS;

interface Props {
  state: State;
  /** The cost that the list is ordered by if the link doesn't say so. */
  by: Cost;
  /** The function the view shows, if other than the selected one. */
  shown?: string;
  /** List functions whatever the granularity is set to. */
  functions?: boolean;
  onOpen?: (name: string) => void;
}

const LIMIT = 2000; // what is beyond is found by its name

export function FunctionList({ state, by, shown = state.fn, functions, onOpen }: Props) {
  const { find = '', order } = state.own;
  const sort = order === 'flat' || order === 'cum' ? order : by;
  const query = extend(untrimmed(queryOf(state), state.options), {
    sort, limit: String(LIMIT), find: patternOf(find), ...(functions ? { granularity: 'functions' } : {}),
  });
  const top = useReport<Top>('top', query);
  const rows = top.answer?.report.rows ?? [];
  const selected = useMemo(() => (shown ? rows.findIndex((r) => selects(r) === shown) : -1), [rows, shown]);
  const matches = useSearch(state, useStable((direction) => {
    const at = nextRow(selected, direction, rows.length, (i) => matches?.(rows[i]!.name) ?? false);
    if (at >= 0) selectFunction(selects(rows[at]!));
  }));
  const compared = state.base.length > 0; // then, shares are changes
  const columns = useMemo(() => columnsOf(rows, compared), [rows, compared]);
  const [open, setOpen] = useState(false); // in a narrow window, it is folded
  return (
    <nav class={open ? 'list list-open' : 'list'} aria-label="Functions">
      <Button class="list-fold" kind="plain" icon={open ? 'down' : 'right'} aria-expanded={open} onClick={() => setOpen(!open)}>
        Choose a function
      </Button>
      <div class="list-head">
        <Find label="Find a function" value={find} onChange={(text) => setOwn('find', text, 'replace')} />
      </div>
      <ReportState
        loading={top}
        quiet
        empty={() => (rows.length > 0 || find ? undefined : <p class="list-empty">No functions to list.</p>)}
      >
        {() => (
          <Table<TopRow>
            label="Functions"
            columns={columns}
            count={rows.length}
            row={(i) => rows[i]}
            rowKey={(r, i) => `${r.name}#${i}`}
            order={{ column: sort, descending: true }}
            onOrder={(column) => setOwn('order', column === by ? '' : column, 'replace')}
            selected={selected}
            onSelect={(r) => selectFunction(selects(r))}
            onPick={() => setOpen(false)}
            onMenu={(r, x, y) => openFunctionMenu(selects(r), { x, y })}
            {...(onOpen ? { onOpen: (r: TopRow) => onOpen(selects(r)) } : {})}
            {...(matches ? { marked: (r: TopRow) => matches(r.name) } : {})}
            empty={`No name matches “${find}”.`}
          />
        )}
      </ReportState>
    </nav>
  );
}

function columnsOf(rows: readonly TopRow[], compared: boolean): readonly Column<TopRow>[] {
  const cost = (of: Cost): Column<TopRow> => {
    const most = rows.reduce((m, r) => Math.max(m, Math.abs(r[of].value)), 0) || 1;
    return {
      id: of, title: COSTS[of].title, about: COSTS[of].about('function'), width: '4.5rem', align: 'right', order: 'descending',
      cell: (r) => signedText(shareText(r[of].percent), r[of].value, compared), text: (r) => percentText(r[of].percent),
      kind: (r) => wayOf(r[of].value, compared), share: (r) => (100 * r[of].value) / most,
    };
  };
  return [
    cost('flat'), cost('cum'),
    { id: 'name', title: 'Function', cell: (r, { chars }) => <FunctionName place={r} chars={chars} />, text: (r) => r.name },
  ];
}
