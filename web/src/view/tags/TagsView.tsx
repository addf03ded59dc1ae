import type { ComponentChildren } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { LabelKey, TagKey, Tags } from '../../api/types';
import { columnFigures } from '../../model/column';
import { useReport } from '../../state/report';
import { go, queryOf, setOption, setOwn, state as current } from '../../state/state';
import { finder, quote } from '../../state/pattern';
import { valueFilter } from '../../state/tagFilter';
import { Button, Empty, Menu, ReportState, tip, type MenuItem } from '../parts';
import { Find } from '../table/Find';
import { count, percentText, plural, shareText } from '../table/format';
import { useMarked } from '../table/useMarked';
import { useVirtual } from '../table/useVirtual';
import { useSearch } from '../table/useSearch';
import { AsWhat, GridView } from '../grid/GridView';
import type { ViewProps } from '../props';
import '../table/pane.css';
import './tags.css';

type TagValue = TagKey['values'][number];

const SHOWN = 20; // values of a key before "show all"

/** Labels: what the values of one label cost, or all labels with their values. */
export default function TagsView(props: ViewProps) {
  return props.state.own['as'] === 'list'
    ? <TagList {...props} />
    : <GridView {...props} empty={<NoLabels labels={props.info.labels.length} />} />;
}

/** Labels of samples and how the values spread over them. */
function TagList({ info, state }: ViewProps) {
  const tags = useReport<Tags>('tags', queryOf(state));
  const finds = finder(state.own['find'] ?? '');
  const box = useRef<HTMLElement>(null);
  const matches = useSearch(state, useMarked(box));
  const hits = (key: TagKey): TagKey | undefined => {
    if (!finds || finds(key.key)) return key;
    const values = key.values.filter((v) => finds(v.value));
    return values.length > 0 ? { ...key, values } : undefined;
  };
  return (
    <section ref={box} class="pane" aria-label="Tags">
      <ReportState
        loading={tags}
        empty={({ report }) => (report.keys.length > 0 ? undefined : <NoLabels labels={info.labels.length} />)}
      >
        {({ report }) => {
          const keys = report.keys.map(hits).filter((k) => k !== undefined);
          return (
            <>
              <div class="pane-bar">
                <Find label="Find a label or value" value={state.own['find'] ?? ''} onChange={(text) => setOwn('find', text, 'replace')} />
                <span class="soft num">{plural(report.keys.length, 'label')}</span>
                <span class="grow" />
                <AsWhat />
              </div>
              <div class="pane-scroll tags" tabIndex={0} role="region" aria-label="Labels">
                {keys.length === 0 && <p class="soft">No label or value matches “{state.own['find']}”.</p>}
                {keys.map((k) => (
                  <Key
                    key={k.key}
                    tag={k}
                    unit={report.unit}
                    total={report.total.value}
                    label={info.labels.find((l) => l.key === k.key)}
                    marked={matches}
                  />
                ))}
              </div>
            </>
          );
        }}
      </ReportState>
    </section>
  );
}

interface KeyProps {
  tag: TagKey;
  unit: string;
  total: number;
  label: LabelKey | undefined;
  marked: ((text: string) => boolean) | null;
}

function Key({ tag, unit, total, label, marked }: KeyProps) {
  const [all, setAll] = useState(false);
  const values = all ? tag.values : tag.values.slice(0, SHOWN);
  const most = tag.values.reduce((max, v) => Math.max(max, Math.abs(v.sum.value)), 1);
  const figure = useMemo(() => columnFigures(tag.values.map((v) => v.sum), unit), [tag, unit]);
  const row = (v: TagValue) => (
    <button
      type="button"
      class={`tag-value${marked?.(v.value) ? ' marked' : ''}`}
      onClick={() => setOption('tagfocus', valueFilter(tag.key, v.value, label?.numeric ?? false))}
      {...tip(`Only samples with ${tag.key} ${v.value}`)}
    >
      <span class="tag-name" title={v.value}>
        <span
          class={`tag-bar${v.sum.value < 0 ? ' negative' : ''}`}
          style={{ '--share': `${(100 * Math.abs(v.sum.value)) / most}%` }}
        />
        {v.value || '(empty)'}
      </span>
      <span class="num">{figure(v.sum)}</span>
      <span class="num">{shareText(v.sum.percent)}</span>
    </button>
  );
  const covered = total === 0 ? 0 : (100 * tag.total.value) / total;
  return (
    <section class="tag" aria-label={tag.key}>
      <header>
        <h2>{tag.key}</h2>
        <span class="soft num">
          {plural(tag.values.length, 'value')} · {tag.total.text}, {percentText(covered)} of the total
        </span>
        <Menu icon="more" kind="plain" label={`Group by ${tag.key}`} align="end" items={keyItems(tag.key)} />
      </header>
      {all ? <AllValues values={tag.values} label={tag.key} row={row} /> : <ul>{values.map((v) => <li key={v.value}>{row(v)}</li>)}</ul>}
      {tag.values.length > values.length && (
        <Button kind="plain" onClick={() => setAll(true)}>Show all {count(tag.values.length)} values</Button>
      )}
    </section>
  );
}

/** All values of a label. Only those in view are in the document. */
function AllValues({ values, label, row }: { values: readonly TagValue[]; label: string; row: (v: TagValue) => ComponentChildren }) {
  const list = useRef<HTMLDivElement>(null);
  const { range, height, rowHeight, onScroll } = useVirtual(list, values.length);
  const shown = values.slice(range.first, range.end);
  return (
    <div ref={list} class="tag-all" tabIndex={0} role="region" aria-label={`All values of ${label}`} onScroll={onScroll}>
      <div class="tag-rows" style={{ height: `${height}px` }}>
        <ul style={{ transform: `translateY(${range.top}px)`, '--row': `${rowHeight}px` }}>
          {shown.map((v, i) => (
            <li key={v.value} aria-setsize={values.length} aria-posinset={range.first + i + 1}>{row(v)}</li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function keyItems(key: string): MenuItem[] {
  return [
    {
      label: 'Split the flame graph by this label', icon: 'filter', hint: 'One tower of stacks for each value',
      run: () => go({ view: 'flame', options: { ...current.value.options, tagroot: key } }),
    },
    'separator',
    { label: 'Group by this label', hint: 'Values become the outermost callers, in all views', run: () => setOption('tagroot', key) },
    { label: 'Split functions by label', hint: 'Values become the innermost calls, in all views', run: () => setOption('tagleaf', key) },
    'separator',
    { label: 'Show only this label', hint: 'In the graph, traces and here', run: () => setOption('tagshow', `^${quote(key)}$`) },
    { label: 'Hide this label', run: () => setOption('taghide', `^${quote(key)}$`) },
  ];
}

function NoLabels({ labels }: { labels: number }) {
  if (labels > 0) return <Empty title="No labels left"><p>The filters above leave no samples with labels.</p></Empty>;
  return (
    <Empty title="No labels">
      <p>
        Samples of this profile have no labels. Set them with <code>pprof.Do</code> to tell apart
        the cost of tenants, routes or kinds of jobs:
      </p>
      <pre class="tag-code">{EXAMPLE}</pre>
    </Empty>
  );
}

const EXAMPLE = `labels := pprof.Labels("route", r.URL.Path)
pprof.Do(ctx, labels, func(ctx context.Context) {
    serve(ctx, w, r)
})`;
