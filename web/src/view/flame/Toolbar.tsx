import type { FlameWidths } from '../../api/types';
import type { ColorBy } from '../../theme/frames';
import { Button, IconButton, Menu, tip, type MenuItem } from '../parts';
import { sideNames } from '../vocabulary';
import type { Controller } from './controller';

export interface Toggle {
  label: string;
  /** What it is good for. */
  about: string;
  keys: string;
  on: boolean;
  run: () => void;
}

export const COLORINGS: readonly { by: ColorBy; label: string; hint: string }[] = [
  { by: 'package', label: 'Package', hint: 'One hue per package; paler for the standard library and the runtime' },
  { by: 'module', label: 'Module', hint: 'Your code, third parties, standard library, runtime' },
  { by: 'self', label: 'Self', hint: 'Stronger: more self' },
  { by: 'change', label: 'Change', hint: 'Red grew, blue shrank, grey is noise' },
];

interface Sides<W> {
  widths: W;
  label: string;
  hint: string;
}

/** The sides of a comparison, in time's order. */
export const WIDTHS: readonly Sides<FlameWidths>[] = [
  { widths: 'base', label: sideNames.base, hint: 'Widths of before: new frames have no width' },
  { widths: 'both', label: 'Both', hint: 'Widths of the larger side: frames that are gone are hatched, new ones start with a bar' },
  { widths: 'head', label: sideNames.head, hint: 'Widths of after: frames that are gone have no width' },
];

/** Both graphs instead of one. */
const APART: Sides<'sides'> = { widths: 'sides', label: 'Side by side', hint: 'A graph for each side' };

interface ToolbarProps {
  graph: Controller;
  colors: ColorBy;
  diff: boolean;
  onColors: (by: ColorBy) => void;
  widths: FlameWidths | 'sides';
  onWidths: (widths: FlameWidths | 'sides') => void;
  /** Offer a graph for each side, if the bar above doesn't. */
  offerApart: boolean;
  toggles: readonly Toggle[];
  /** Where the same is shown as a table, if it is. */
  tableHref?: string | undefined;
}

export function Toolbar({ graph, colors, diff, onColors, widths, onWidths, offerApart, toggles, tableHref }: ToolbarProps) {
  const colorings: MenuItem[] = COLORINGS.filter((c) => diff || c.by !== 'change')
    .map((c) => ({ label: c.label, hint: c.hint, checked: c.by === colors, run: () => onColors(c.by) }));
  const sides = (!diff ? [] : offerApart ? [...WIDTHS, APART] : WIDTHS)
    .map(({ widths: w, ...words }) => ({ ...words, checked: w === widths, run: () => onWidths(w) }));
  const all: MenuItem[] = [
    ...(diff ? [{ heading: 'Widths' }, ...sides, 'separator' as const] : []),
    ...toggles.map((t) => ({ label: t.label, hint: t.about, keys: t.keys, checked: t.on, run: t.run })),
    'separator',
    { heading: 'Colour by' },
    ...colorings,
    ...(tableHref === undefined ? [] : ['separator' as const, { label: 'Show as a table', icon: 'external' as const, href: tableHref }]),
  ];
  return (
    <div class="flame-tools" role="toolbar" aria-label="Flame graph">
      <div class="flame-tools-wide">
        {diff && (
          <span class="segments flame-sides" role="group" aria-label="Widths">
            {sides.map((s) => <Button key={s.label} aria-pressed={s.checked} onClick={s.run} {...tip(s.hint, 'x')}>{s.label}</Button>)}
          </span>
        )}
        {toggles.map((t) => (
          <button key={t.label} type="button" class="btn btn-plain" aria-pressed={t.on} onClick={t.run} {...tip(t.about, t.keys)}>
            {t.label}
          </button>
        ))}
        <Menu
          button={<><span class="soft">Colour</span> {COLORINGS.find((c) => c.by === colors)!.label}</>}
          label="Meaning of the colours"
          kind="plain"
          align="end"
          items={colorings}
        />
        {tableHref !== undefined && <a class="btn btn-plain" href={tableHref} {...tip('The same numbers as a table', 'g t')}>Table</a>}
      </div>
      <Menu button="Options" label="Options of the flame graph" kind="plain" align="end" class="flame-tools-narrow" items={all} />
      <span class="flame-tools-zoom">
        <IconButton class="flame-step" icon="minus" label="Zoom out" keys="-" onClick={() => graph.zoomBy(2, 0.5, true)} />
        <IconButton class="flame-step" icon="plus" label="Zoom in" keys="+" onClick={() => graph.zoomBy(0.5, 0.5, true)} />
        <IconButton icon="fit" label="Show all" keys="0" onClick={() => graph.showAll()} />
      </span>
    </div>
  );
}
