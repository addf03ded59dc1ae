import { go, href, inView, state, type State } from '../state/state';
import { follow } from './link';
import { Icon, tip, type IconName } from './parts';

interface Way {
  title: string;
  about: string;
  icon: IconName;
  view: 'diff' | 'flame' | 'source';
  /** The flame graph's setting for both sides. */
  widths: string;
}

const ways: readonly Way[] = [
  { title: 'Diff', about: 'The list of what changed, with intervals', icon: 'list', view: 'diff', widths: '' },
  { title: 'Flame', about: 'One flame graph: red grew, blue shrank', icon: 'flame', view: 'flame', widths: '' },
  { title: 'Side by side', about: 'A flame graph for each side', icon: 'columns', view: 'flame', widths: 'sides' },
  { title: 'Source', about: 'The code of both sides, with the cost of each line', icon: 'code', view: 'source', widths: '' },
];

/** The ways to look at a comparison, with buttons for each, which are called as the tabs are. */
export function CompareViews() {
  const now = state.value;
  const sides = now.own.widths === 'sides';
  return (
    <nav class="segments compare-views" aria-label="Ways to compare">
      {ways.map((way) => {
        const to = at(now, way);
        const on = now.view === way.view && (way.view !== 'flame' || sides === (way.widths !== ''));
        return (
          <a
            key={way.title}
            class="btn"
            href={href({ ...now, ...to })}
            aria-current={on ? 'page' : undefined}
            onClick={follow(() => go(to))}
            {...tip(way.about)}
          >
            <Icon name={way.icon} /><span class="compare-views-word">{way.title}</span>
          </a>
        );
      })}
    </nav>
  );
}

function at(now: State, { view, widths }: Way): Pick<State, 'view' | 'own'> {
  const { widths: _, ...own } = inView(now, view).own;
  return { view, own: view === 'flame' && widths !== '' ? { ...own, widths } : own };
}
