// Regressions along the foot of the timeline: where they began. Each leads to its place in the list.

import './marks.css';
import { useState } from 'preact/hooks';
import { regressions as ask, type Regression, type Regressions } from '../../api/regressions';
import { place, type Scale } from '../../layout/axis';
import { clusters } from '../../layout/marks';
import { shortName } from '../../model/names';
import { useLasting } from '../../state/answer';
import { goPage } from '../../state/pages';
import { timeText, type Span } from '../../state/selection';
import { go } from '../../state/state';
import { MenuList, tip, type MenuItem } from '../parts';
import { plural } from '../table/format';
import { ALL, comparisonOf, ordered } from './order';
import { growthText, kindTitle, sentenceText } from './words';

const ROOM = 20; // px between marks

interface Props {
  service: string | undefined;
  x: Scale;
  span: Span;
}

export function RegressionMarks({ service, x, span }: Props) {
  const [open, setOpen] = useState<{ group: readonly Regression[]; anchor: HTMLElement } | null>(null);
  const known = useLasting<Regressions>(service ? `regressions of ${service}` : null, (signal) => ask(service!, signal)).answer?.report;
  const within = (known?.regressions ?? []).filter((r) => r.since >= span.from && r.since <= span.to);
  return (
    <>
      {clusters(within, (r) => r.since, x, ROOM).map((found) => {
        const group = ordered(found, false);
        const what = group.length === 1 ? sentenceText(group[0]!) : groupText(group);
        return (
          <div
            key={found[0]!.id}
            class={`regression-mark${group.some((r) => r.state === 'open') ? '' : ' regression-mark-done'}`}
            style={{ left: `${place(x, found[0]!.since)}px` }}
          >
            <button
              type="button"
              class="regression-mark-head"
              aria-haspopup="menu"
              aria-label={group.length === 1 ? `Regression: ${what}` : what}
              {...tip(what)}
              onClick={(e) => setOpen({ group, anchor: e.currentTarget })}
            >
              {group.length > 1 && <span class="regression-mark-count">{group.length}</span>}
            </button>
          </div>
        );
      })}
      {open && (
        <MenuList
          anchor={open.anchor}
          label={plural(open.group.length, 'regression')}
          items={itemsOf(open.group, known?.regressions ?? [])}
          onClose={(refocus) => {
            setOpen(null);
            if (refocus) open.anchor.focus();
          }}
        />
      )}
    </>
  );
}

const groupText = (group: readonly Regression[]) =>
  `${plural(group.length, 'regression')} since ${timeText(Math.min(...group.map((r) => r.since)), false)}`;

const nameOf = (r: Regression) =>
  `${shortName(r.function)} ${growthText(r.growth)} ${kindTitle(r.kind)}${r.state === 'open' ? '' : `, ${r.state}`}`;

const MOST = 8; // in a menu

function itemsOf(group: readonly Regression[], all: readonly Regression[]): MenuItem[] {
  const { service } = group[0]!;
  return [
    { heading: groupText(group) },
    ...group.slice(0, MOST).map((r): MenuItem => ({
      label: nameOf(r), icon: 'warning',
      run: () => goPage({ page: 'regressions', service, state: r.state === 'open' ? '' : ALL, id: r.id }),
    })),
    'separator',
    ...(group.length === 1
      ? [{ label: 'Compare before and after', icon: 'compare', run: () => go(comparisonOf(group[0]!, all)) } as const]
      : []),
    { label: `All regressions of ${service}`, icon: 'list', run: () => goPage({ page: 'regressions', service, state: ALL }) },
  ];
}
