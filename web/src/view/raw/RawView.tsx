import { useEffect, useRef, useState } from 'preact/hooks';
import type { Raw } from '../../api/types';
import { queryOf, type State } from '../../state/state';
import { ReportState } from '../parts';
import { count } from '../table/format';
import { usePages } from '../table/usePages';
import { useSearch, useStable } from '../table/useSearch';
import { useVirtual } from '../table/useVirtual';
import type { ViewProps } from '../props';
import '../table/pane.css';
import './raw.css';

const PAGE = 1000;
const LINE_REM = 1.25;

/** The profile as text, of which only the part in view is fetched and drawn. */
export default function RawView({ state }: ViewProps) {
  const pages = usePages<Raw, string>('raw', queryOf(state), PAGE, (raw) => raw.lines);
  return (
    <section class="pane" aria-label="Raw">
      <ReportState loading={pages.first}>
        {() => <Lines state={state} total={pages.total} line={pages.row} need={pages.need} />}
      </ReportState>
    </section>
  );
}

interface LinesProps {
  state: State;
  total: number;
  line: (index: number) => string | undefined;
  need: (first: number, end: number) => void;
}

function Lines({ state, total, line, need }: LinesProps) {
  const box = useRef<HTMLDivElement>(null);
  const view = useVirtual(box, total, 0, LINE_REM);
  const { first, end } = view.range;
  useEffect(() => need(first, end));
  const [found, setFound] = useState(-1);
  const sought = useRef<{ from: number; direction: 1 | -1 } | null>(null);
  const around = (i: number) => ((i % total) + total) % total;
  /** Goes to the line that is sought, as far as lines are there; others are asked for, and it goes on when they come. */
  const seek = () => {
    const { from, direction } = sought.current ?? { from: 0, direction: 1 };
    for (let n = 0; sought.current && n < total; n++) {
      const at = around(from + n * direction);
      const text = line(at);
      if (text === undefined) {
        sought.current = { from: at, direction };
        need(at, at + 1);
        return;
      }
      if (!matches?.(text)) continue;
      setFound(at);
      view.show(at, true);
      break;
    }
    sought.current = null;
  };
  const matches = useSearch(state, useStable((direction) => {
    sought.current = { from: around(found < 0 ? (direction > 0 ? 0 : -1) : found + direction), direction };
    seek();
  }));
  useEffect(() => setFound(-1), [state.search]);
  useEffect(seek);
  const lines = [];
  for (let i = first; i < end; i++) {
    const text = line(i);
    const marked = text !== undefined && matches?.(text);
    lines.push(
      <div key={i} class={`raw-line${marked ? ' marked' : ''}`} aria-current={i === found ? 'true' : undefined}>
        <span class="raw-number" aria-hidden="true">{i + 1}</span>
        {text === undefined ? <span class="soft">…</span> : <span>{text}</span>}
      </div>,
    );
  }
  return (
    <>
      <div
        ref={box}
        class="pane-scroll raw"
        tabIndex={0}
        role="region"
        aria-label="The profile as text"
        onScroll={view.onScroll}
        style={{ '--row': `${view.rowHeight}px`, '--digits': String(total).length }}
      >
        <div class="raw-body" style={{ height: `${view.height}px` }}>
          <div class="raw-window" style={{ transform: `translateY(${view.range.top}px)` }}>{lines}</div>
        </div>
      </div>
      <div class="pane-facts"><span>{count(total)} lines</span></div>
    </>
  );
}
