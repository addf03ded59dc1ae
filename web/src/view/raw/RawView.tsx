import { useEffect, useRef } from 'preact/hooks';
import type { Raw } from '../../api/types';
import { queryOf } from '../../state/state';
import { ReportState } from '../parts';
import { count } from '../table/format';
import { usePages } from '../table/usePages';
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
        {() => <Lines total={pages.total} line={pages.row} need={pages.need} />}
      </ReportState>
    </section>
  );
}

interface LinesProps {
  total: number;
  line: (index: number) => string | undefined;
  need: (first: number, end: number) => void;
}

function Lines({ total, line, need }: LinesProps) {
  const box = useRef<HTMLDivElement>(null);
  const view = useVirtual(box, total, 0, LINE_REM);
  const { first, end } = view.range;
  useEffect(() => need(first, end));
  const lines = [];
  for (let i = first; i < end; i++) {
    const text = line(i);
    lines.push(
      <div key={i} class="raw-line">
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
