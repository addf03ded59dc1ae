// The views, in the order of their tabs. Each but the first is a chunk of its own,
// loaded when it is first shown.

import { computed } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { selected } from '../state/selected';
import { isInstant } from '../state/selection';
import { state, stored, type ViewID } from '../state/state';
import { here } from './Chunk';
import FlameView from './flame/FlameView';
import type { ViewProps } from './props';

export interface ViewSpec {
  id: ViewID;
  title: string;
  /** One line for the tab's tooltip and the help. */
  about: string;
  /** Key that shows it, after g: "g t". */
  key: string;
  /** Only selections in the store have it. */
  stored?: boolean;
  /** Only for kinds that show the state at a moment, such as the heap. */
  moment?: boolean;
  load: () => Promise<{ default: FunctionComponent<ViewProps> }>;
}

export const views: readonly ViewSpec[] = [
  { id: 'flame', title: 'Flame', key: 'f', about: 'Stacks; the width is the share', load: here(FlameView) },
  { id: 'top', title: 'Top', key: 't', about: 'Functions by self and total cost', load: () => import('./top/TopView') },
  {
    id: 'sandwich', title: 'Sandwich', key: 's', about: 'Callers and callees of a function',
    load: () => import('./sandwich/SandwichView'),
  },
  { id: 'graph', title: 'Graph', key: 'g', about: 'Functions and the calls between them', load: () => import('./graph/GraphView') },
  { id: 'source', title: 'Source', key: 'c', about: 'Cost per line of a function', load: () => import('./source/SourceView') },
  {
    id: 'disasm', title: 'Disassembly', key: 'a', about: 'Cost per instruction of a function', load: () => import('./disasm/DisasmView'),
  },
  { id: 'peek', title: 'Peek', key: 'p', about: 'Callers and callees of functions that match', load: () => import('./peek/PeekView') },
  { id: 'traces', title: 'Traces', key: 'x', about: 'Every stack with its labels', load: () => import('./traces/TracesView') },
  { id: 'tags', title: 'Labels', key: 'l', about: 'Labels and their values', load: () => import('./tags/TagsView') },
  { id: 'raw', title: 'Raw', key: 'r', about: 'The profile as text, unprocessed', load: () => import('./raw/RawView') },
  { id: 'diff', title: 'Diff', key: 'd', about: 'What changed, by function', load: () => import('./diff/DiffView') },
  { id: 'advice', title: 'Advice', key: 'v', about: 'What to change in your source', load: () => import('./advice/AdviceView') },
  {
    id: 'history', title: 'History', key: 'h', stored: true, about: 'The share of functions over time',
    load: () => import('./continuous/HistoryView'),
  },
  {
    id: 'endpoints', title: 'Endpoints', key: 'e', stored: true, about: 'Requests per second, and what one costs, by endpoint',
    load: () => import('./endpoints/EndpointsView'),
  },
  {
    id: 'growth', title: 'Growth', key: 'w', stored: true, moment: true, about: 'Lines that hold more and more',
    load: () => import('./growth/GrowthView'),
  },
  {
    id: 'records', title: 'Profiles', key: 'o', stored: true, about: 'The individual profiles of the selection',
    load: () => import('./continuous/RecordsView'),
  },
];

/** The views of profiles, and those that what is shown has. */
export const profileViews: readonly ViewSpec[] = views.filter((v) => !v.stored);
const momentViews = computed(() => state.value.view === 'growth' || isInstant(selected.value?.q ?? ''));
export const viewsShown = computed(() => (stored.value ? views.filter((v) => !v.moment || momentViews.value) : profileViews));
