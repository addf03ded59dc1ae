// A table of any length: only the rows in view are in the document. It is one
// stop of the tab key; arrows move in it.

import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Order } from './order';
import { tsv } from './tsv';
import { ROW_REM, useVirtual } from './useVirtual';
import './table.css';

/** The height of a row of two lines, in rem. */
export const TWO_LINES = 2.75;

export interface CellContext {
  /** Characters that fit into the column that grows. */
  chars: number;
}

export interface Column<R> {
  id: string;
  title: string;
  /** What the header's tooltip and name say, if title is short. */
  about?: string;
  /** A css width; the column without one takes what is left. */
  width?: string;
  align?: 'right';
  /** The column is shown if the table is at least this wide, in rem. */
  from?: number;
  /** The order a click on the header asks for first; none: can't be ordered by. */
  order?: 'ascending' | 'descending';
  /** What the order is called, if other than the column: value and share order alike. */
  orderBy?: string;
  cell: (row: R, context: CellContext) => ComponentChildren;
  /** For copies; a column without it is only for the eye. */
  text?: (row: R) => string;
  /** Percent of a bar behind the text. */
  share?: (row: R) => number;
  /** Class of the cell. */
  kind?: (row: R) => string;
}

export interface TableProps<R> {
  label: string;
  columns: readonly Column<R>[];
  count: number;
  /** A row, or undefined while it is on its way. */
  row: (index: number) => R | undefined;
  /** Tells rows apart as their order changes. */
  rowKey: (row: R, index: number) => string;
  order?: Order | null;
  onOrder?: (column: string) => void;
  /** Index of the selected row, or -1. */
  selected?: number;
  onSelect?: (row: R, index: number) => void;
  /** As onSelect, also for rows that are still on their way. */
  onMove?: (index: number) => void;
  /** A plain click; a selection that walks along with the arrows is onSelect's. */
  onPick?: (row: R, index: number) => void;
  /** Enter and double click. */
  onOpen?: (row: R, index: number) => void;
  /** Right click and the menu key, with a place on the screen. */
  onMenu?: (row: R, x: number, y: number) => void;
  /** Marks rows, as those that match a search. */
  marked?: (row: R) => boolean;
  dim?: (row: R) => boolean;
  /** Height of a row, if it has more than one line. */
  rowRem?: number;
  /** Rows that come into view. */
  onRange?: (first: number, end: number) => void;
  /** The columns that have no room. */
  onLeftOut?: (ids: readonly string[]) => void;
  /** What stands in place of rows if there are none. */
  empty?: ComponentChildren;
}

const GAP_REM = 1; // inside a cell, left and right together

export function Table<R>(props: TableProps<R>) {
  const { columns, count, row, selected = -1, onSelect, onOpen, onMenu, onRange } = props;
  const id = useId();
  const grid = useRef<HTMLDivElement>(null);
  const grower = useRef<HTMLDivElement>(null);
  const probe = useRef<HTMLSpanElement>(null);
  const view = useVirtual(grid, count, props.rowRem ? ROW_REM / props.rowRem : 1, props.rowRem);
  const [active, setActive] = useState(selected);
  const [anchor, setAnchor] = useState(-1); // other end of a range of rows
  const [chars, setChars] = useState(60);

  const rem = useMemo(() => parseFloat(getComputedStyle(document.documentElement).fontSize) || 13, [view.width]);
  const shown = view.width === 0 ? columns : columns.filter((c) => view.width >= (c.from ?? 0) * rem);
  const leftOut = columns.filter((c) => !shown.includes(c)).map((c) => c.id).join('\n');
  useEffect(() => props.onLeftOut?.(leftOut === '' ? [] : leftOut.split('\n')), [leftOut]);
  const ordered = shown.find((c) => props.order && orderOf(c) === props.order.column);
  const template = shown.map((c) => c.width ?? 'minmax(0, 1fr)').join(' ');

  useLayoutEffect(() => {
    const width = (probe.current?.getBoundingClientRect().width ?? 0) / 20;
    const room = (grower.current?.clientWidth ?? 0) - GAP_REM * rem;
    if (width > 0 && room > 0) setChars(Math.max(4, Math.floor(room / width)));
  }, [view.width, template, rem]);

  useEffect(() => {
    setActive(selected);
    if (selected >= 0 && selected !== anchor) setAnchor(-1);
    if (selected >= 0) view.show(selected, true);
    // Also when rows moved: the selected one stays in view.
  }, [selected, view.show]);

  const current = Math.min(active, count - 1);
  useEffect(() => onRange?.(view.range.first, view.range.end), [view.range.first, view.range.end, onRange]);

  // The tab key goes from the table into its current row, not through all rows.
  useLayoutEffect(() => {
    const at = Math.max(current, view.range.first);
    for (const el of grid.current?.querySelectorAll<HTMLElement>('.table-body :is(a, button, input)') ?? []) {
      el.tabIndex = Number(el.closest('[data-row]')?.getAttribute('data-row')) === at ? 0 : -1;
    }
  });

  const [low, high] = anchor < 0 ? [current, current] : [Math.min(anchor, current), Math.max(anchor, current)];

  const move = (to: number, extend: boolean) => {
    const index = Math.max(0, Math.min(count - 1, to));
    setAnchor(extend ? (anchor < 0 ? current : anchor) : -1);
    setActive(index);
    view.show(index);
    const r = row(index);
    if (extend) return;
    props.onMove?.(index);
    if (r !== undefined) onSelect?.(r, index);
  };

  const onKeyDown = (e: KeyboardEvent) => {
    if (e.target !== grid.current || e.altKey) return;
    if ((e.ctrlKey || e.metaKey) && e.key !== 'Home' && e.key !== 'End' && e.key !== 'a') return;
    const r = current >= 0 ? row(current) : undefined;
    switch (e.key) {
      case 'ArrowDown': move(current + 1, e.shiftKey); break;
      case 'ArrowUp': move(current < 0 ? 0 : current - 1, e.shiftKey); break;
      case 'PageDown': move(current + view.page, e.shiftKey); break;
      case 'PageUp': move(current - view.page, e.shiftKey); break;
      case 'Home': move(0, e.shiftKey); break;
      case 'End': move(count - 1, e.shiftKey); break;
      case 'a':
        if (!e.ctrlKey && !e.metaKey) return;
        setAnchor(0);
        setActive(count - 1);
        break;
      case 'Enter':
        if (r === undefined) return;
        onOpen?.(r, current);
        break;
      case 'ContextMenu':
        if (r === undefined || !onMenu) return;
        openMenu(r);
        break;
      case 'F10':
        if (!e.shiftKey || r === undefined || !onMenu) return;
        openMenu(r);
        break;
      default: return;
    }
    e.preventDefault();
    e.stopPropagation();
  };

  const openMenu = (r: R) => {
    const place = document.getElementById(`${id}-${current}`)?.getBoundingClientRect();
    if (place) onMenu?.(r, place.left + 24, place.bottom);
  };

  const onCopy = (e: ClipboardEvent) => {
    if (low < 0 || String(getSelection() ?? '') !== '') return;
    const copied = columns.filter((c) => c.text);
    const lines: string[][] = high > low ? [copied.map((c) => c.title)] : [];
    for (let i = low; i <= high; i++) {
      const r = row(i);
      if (r !== undefined) lines.push(copied.map((c) => c.text!(r)));
    }
    e.clipboardData?.setData('text/plain', tsv(lines));
    e.preventDefault();
  };

  const indexOf = (e: Event): number => {
    const el = (e.target as Element).closest('[data-row]');
    return el && grid.current?.contains(el) ? Number(el.getAttribute('data-row')) : -1;
  };

  const rows: ComponentChildren[] = [];
  for (let i = view.range.first; i < view.range.end; i++) {
    const r = row(i);
    rows.push(
      <div
        key={r === undefined ? `wait-${i}` : props.rowKey(r, i)}
        id={`${id}-${i}`}
        data-row={i}
        role="row"
        aria-rowindex={i + 2}
        aria-selected={i >= low && i <= high}
        class={rowClass(props, r, i, current)}
      >
        {r === undefined
          ? shown.map((c) => <div key={c.id} role="gridcell" class="cell waiting" />)
          : shown.map((c) => <Cell key={c.id} column={c} row={r} chars={chars} />)}
      </div>,
    );
  }

  const drawn = current >= view.range.first && current < view.range.end;
  return (
    <div
      ref={grid}
      class="table"
      role="grid"
      aria-label={props.label}
      aria-rowcount={count + 1}
      aria-colcount={shown.length}
      aria-multiselectable="true"
      aria-activedescendant={drawn ? `${id}-${current}` : undefined}
      tabIndex={0}
      style={{ '--columns': template, '--row': `${view.rowHeight}px`, ...(props.rowRem && { '--head': `${ROW_REM}rem` }) }}
      onKeyDown={onKeyDown}
      onCopy={onCopy}
      onScroll={view.onScroll}
      onClick={(e) => {
        const i = indexOf(e);
        if (i < 0) return;
        move(i, e.shiftKey);
        const r = row(i);
        if (r !== undefined && !e.shiftKey) props.onPick?.(r, i);
      }}
      onDblClick={(e) => {
        const i = indexOf(e);
        const r = i >= 0 ? row(i) : undefined;
        if (r !== undefined) onOpen?.(r, i);
      }}
      onContextMenu={(e) => {
        const i = indexOf(e);
        const r = i >= 0 ? row(i) : undefined;
        if (r === undefined || !onMenu) return;
        e.preventDefault();
        move(i, false);
        onMenu(r, e.clientX, e.clientY);
      }}
    >
      <div class="table-head" role="rowgroup">
        <div role="row" aria-rowindex={1} class="row">
          {shown.map((c) => (
            <Header
              key={c.id}
              column={c}
              order={c === ordered ? props.order ?? null : null}
              onOrder={props.onOrder}
              cell={c.width ? undefined : grower}
            />
          ))}
        </div>
        <span ref={probe} class="probe" aria-hidden="true">00000000000000000000</span>
      </div>
      {count === 0 && props.empty !== undefined ? (
        <div role="rowgroup"><div role="row"><div role="gridcell" class="table-empty">{props.empty}</div></div></div>
      ) : (
        <div class="table-body" role="rowgroup" style={{ height: `${view.height}px` }}>
          <div class="table-window" style={{ transform: `translateY(${view.range.top}px)` }}>{rows}</div>
        </div>
      )}
    </div>
  );
}

function rowClass<R>(props: TableProps<R>, row: R | undefined, index: number, current: number): string {
  let name = 'row';
  if (index === current) name += ' active';
  if (index === props.selected) name += ' selected';
  if (row !== undefined && props.marked?.(row)) name += ' marked';
  if (row !== undefined && props.dim?.(row)) name += ' dim';
  return name;
}

function Cell<R>({ column, row, chars }: { column: Column<R>; row: R; chars: number }) {
  const share = column.share?.(row);
  const name = `cell${column.align ? ' right' : ''}${column.kind ? ` ${column.kind(row)}` : ''}`;
  const content = column.cell(row, { chars });
  if (share === undefined) return <div role="gridcell" class={name}>{content}</div>;
  return (
    <div role="gridcell" class={`${name} share${share < 0 ? ' negative' : ''}`} style={{ '--share': `${Math.min(100, Math.abs(share))}%` }}>
      <span>{content}</span>
    </div>
  );
}

function orderOf<R>(column: Column<R>): string {
  return column.orderBy ?? column.id;
}

interface HeaderProps<R> {
  column: Column<R>;
  /** The table's order, if it is by this column. */
  order: Order | null;
  onOrder: ((column: string) => void) | undefined;
  cell: RefObject<HTMLDivElement | null> | undefined;
}

function Header<R>({ column, order, onOrder, cell }: HeaderProps<R>) {
  const sort = order === null ? 'none' : order.descending ? 'descending' : 'ascending';
  return (
    <div
      {...(cell ? { ref: cell } : {})}
      role="columnheader"
      class={`cell${column.align ? ' right' : ''}`}
      aria-sort={column.order ? sort : undefined}
      title={column.about}
    >
      {column.order && onOrder ? (
        <button type="button" class="sort" onClick={() => onOrder(orderOf(column))}>
          {column.title}
          <span class="arrow" aria-hidden="true">{order && (order.descending ? '▾' : '▴')}</span>
        </button>
      ) : (
        column.title || <span class="visually-hidden">{column.about}</span>
      )}
    </div>
  );
}
