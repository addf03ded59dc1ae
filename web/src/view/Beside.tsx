import './beside.css';
import { useRef } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { NARROWEST, tableShare, USUAL, WIDEST, within } from '../state/beside';
import { tip } from './parts';

interface BesideProps {
  /** On the left; null: it is not there. */
  table: ComponentChildren;
  children: ComponentChildren;
}

/** The table beside a view, with a border that can be moved. The view stays the same one when the table comes and goes. */
export function Beside({ table, children }: BesideProps) {
  const both = table !== null;
  return (
    <div class="beside" style={both ? { '--table': `${tableShare.value}%` } : {}}>
      {both && <div key="table" class="beside-table">{table}</div>}
      {both && <Border key="border" />}
      <div key="view" class="beside-view">{children}</div>
    </div>
  );
}

const STEP = 2; // percent, by a key

function Border() {
  const bar = useRef<HTMLDivElement>(null);
  const to = (percent: number) => { tableShare.value = within(percent); };
  const drag = (e: PointerEvent) => {
    const frame = bar.current!.parentElement!.getBoundingClientRect();
    to((100 * (e.clientX - frame.left)) / frame.width);
  };
  const onKeyDown = (e: KeyboardEvent) => {
    const moved = { ArrowLeft: tableShare.value - STEP, ArrowRight: tableShare.value + STEP, Home: NARROWEST, End: WIDEST }[e.key];
    if (moved === undefined) return;
    to(moved);
    e.preventDefault();
    e.stopPropagation();
  };
  return (
    <div
      ref={bar}
      class="beside-border"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the table"
      aria-valuemin={NARROWEST}
      aria-valuemax={WIDEST}
      aria-valuenow={tableShare.value}
      tabIndex={0}
      onPointerDown={(e) => {
        if (e.button !== 0) return;
        e.currentTarget.setPointerCapture(e.pointerId);
        e.preventDefault();
        e.currentTarget.focus();
      }}
      onPointerMove={(e) => { if (e.currentTarget.hasPointerCapture(e.pointerId)) drag(e); }}
      onDblClick={() => to(USUAL)}
      onKeyDown={onKeyDown}
      {...tip('Drag or use the arrow keys; double-click resets the width')}
    />
  );
}
