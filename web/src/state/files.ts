// The files of the server that the Export menu offers for each view.

import { reportPath } from '../api/client';
import { asked } from './report';
import { exactly, writtenIn } from './pattern';
import { queryOf, type State, type ViewID } from './state';

export interface FileExport {
  label: string;
  hint?: string;
  href: string;
}

interface Format {
  report: string;
  format: string;
  label: string;
  hint?: string;
  /** It has no place for a comparison. */
  single?: boolean;
}

const text = (report: string): Format => ({
  report, format: 'text', label: 'Text', hint: `As hone ${report === 'source' ? 'list' : report} prints it`,
});
const csv = (report: string): Format => ({ report, format: 'csv', label: 'CSV', hint: 'For spreadsheets' });

const formats: Record<ViewID, readonly Format[]> = {
  flame: [
    { report: 'flame', format: 'html', label: 'HTML', hint: 'One page that works on its own' },
    { report: 'flame', format: 'folded', label: 'Folded stacks', hint: 'For other flame graph tools' },
    { report: 'flame', format: 'speedscope', label: 'Speedscope', hint: 'All sample types, for speedscope.app', single: true },
    { report: 'flame', format: 'firefox', label: 'Firefox', hint: 'All sample types, for profiler.firefox.com' },
  ],
  top: [text('top'), csv('top')],
  sandwich: [text('peek')],
  graph: [
    { report: 'graph', format: 'svg', label: 'SVG', hint: 'A picture that scales' },
    { report: 'graph', format: 'png', label: 'PNG' },
    { report: 'graph', format: 'pdf', label: 'PDF' },
    { report: 'graph', format: 'dot', label: 'DOT', hint: "Graphviz's language" },
    { report: 'graph', format: 'callgrind', label: 'Callgrind', hint: 'For KCachegrind' },
  ],
  source: [{ report: 'source', format: 'html', label: 'HTML', hint: 'One page that works on its own' }, text('source')],
  disasm: [text('disasm')],
  peek: [text('peek')],
  traces: [text('traces')],
  tags: [text('tags'), csv('tags')],
  raw: [text('raw')],
  diff: [text('diff'), csv('diff')],
  advice: [],
  history: [], // makes its own
  endpoints: [],
  growth: [],
  records: [],
};

/** What a view may add to a report's query that belongs into a file of it too. */
const ADDED = ['match', 'inverted', 'collapse', 'pivot', 'side', 'find', 'order'];

/** Reports that need to be told which functions. */
const NEED_MATCH = new Set(['source', 'disasm', 'peek']);

/** The pattern the view shown asked its report for, '' if it has none. */
export function matchShown(view: ViewID): string {
  return asked.get(view === 'sandwich' ? 'peek' : view)?.get('match') ?? '';
}

export function exportsOf(s: State): FileExport[] {
  const offered = formats[s.view].filter(({ single }) => !single || s.base.length === 0);
  const files = offered.map(({ report, format, label, hint }) => {
    const q = queryOf(s);
    const extra = asked.get(report);
    for (const name of ADDED) {
      const value = extra?.get(name) ?? (report === 'flame' && name !== 'find' && name !== 'order' ? s.own[name] : undefined);
      if (value) q.set(name, value);
    }
    if (NEED_MATCH.has(report) && !q.has('match')) q.set('match', s.fn ? exactly(report === 'peek' ? s.fn : writtenIn(s.fn)) : '.');
    q.set('format', format);
    q.set('download', '1');
    return { label, ...(hint ? { hint } : {}), href: reportPath(report, q) };
  });
  const q = queryOf(s);
  q.set('format', 'pb.gz');
  q.set('download', '1');
  return [...files, { label: 'pb.gz', hint: 'The profile with these filters, for any tool', href: reportPath('proto', q) }];
}
