import './valuelist.css';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useVirtual } from '../table/useVirtual';
import { Icon } from './Icon';

interface ValueListProps {
  /** The name of what the values belong to. */
  name: string;
  values: readonly string[];
  find: string;
  onFind: (text: string) => void;
  /** Enter in the field. */
  onTake: (value: string) => void;
  /** A row, with one button of the class choice-item. */
  row: (value: string) => ComponentChildren;
  /** Shown if there are no rows. */
  empty: ComponentChildren;
  input?: RefObject<HTMLInputElement | null>;
}

/** Values of any number to choose from: only those in view are in the document. Arrows walk from the field through the list. */
export function ValueList({ name, values, find, onFind, onTake, row, empty, input }: ValueListProps) {
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const to = useRef(-1); // row to focus once it is in the document
  const { range, height, rowHeight, onScroll, show } = useVirtual(list, values.length, 0, rowRem());
  const buttonOf = (i: number) => list.current?.querySelector<HTMLElement>(`[data-value="${i}"] .choice-item`);
  useEffect(() => {
    if (to.current < 0) return;
    buttonOf(to.current)?.focus();
    to.current = -1;
  });
  useEffect(() => list.current?.scrollTo(0, 0), [find]);
  const walk = (e: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[e.key];
    if (step === undefined || values.length === 0) return;
    e.preventDefault();
    const now = Number((document.activeElement as HTMLElement | null)?.closest('[data-value]')?.getAttribute('data-value') ?? -1);
    const next = Math.min(values.length - 1, now + step);
    if (next < 0) {
      (input ?? field).current?.focus();
      return;
    }
    show(next);
    const there = buttonOf(next);
    if (there) there.focus();
    else to.current = next;
  };
  const rows: ComponentChildren[] = [];
  for (let i = range.first; i < range.end; i++) {
    rows.push(<div key={values[i]} class="choice-row" data-value={i} style={{ height: `${rowHeight}px` }}>{row(values[i]!)}</div>);
  }
  return (
    <div class="value-list" onKeyDown={walk}>
      <div class="text-field">
        <Icon name="search" />
        <input
          ref={input ?? field}
          type="text"
          aria-label={`Find a ${name}`}
          placeholder={`Find a ${name}`}
          autocomplete="off"
          spellcheck={false}
          value={find}
          onInput={(e) => onFind(e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.key !== 'Enter' || values[0] === undefined) return;
            e.preventDefault();
            onTake(values[0]);
          }}
        />
      </div>
      <div ref={list} class="choice-list value-rows" role="group" aria-label={name} onScroll={onScroll} style={{ '--rows': values.length }}>
        {values.length === 0 ? empty : (
          <div class="value-all" style={{ height: `${height}px` }}>
            <div style={{ transform: `translateY(${range.top}px)` }}>{rows}</div>
          </div>
        )}
      </div>
    </div>
  );
}

/** Rows are higher on touch screens. */
const rowRem = () => (matchMedia('(pointer: coarse)').matches ? 2.75 : 1.75);
