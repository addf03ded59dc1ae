import type { ComponentChildren } from 'preact';

export function Section({ title, children }: { title: string; children: ComponentChildren }) {
  return <section aria-label={title}><h2>{title}</h2>{children}</section>;
}

interface GridProps {
  head: readonly string[];
  rows: readonly (readonly ComponentChildren[])[];
}

export function Grid({ head, rows }: GridProps) {
  return (
    <div class="status-scroll" tabIndex={0} role="region" aria-label={`Table of ${head[0]!.toLowerCase()}`}>
      <table>
        <thead><tr>{head.map((h) => <th key={h} scope="col">{h}</th>)}</tr></thead>
        <tbody>{rows.map((row, i) => (
          <tr key={i}>{row.map((cell, j) => (j === 0 ? <th key={j} scope="row">{cell}</th> : <td key={j}>{cell}</td>))}</tr>
        ))}</tbody>
      </table>
    </div>
  );
}
