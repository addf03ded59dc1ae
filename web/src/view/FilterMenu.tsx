import { useState } from 'preact/hooks';
import { flagOn, optionSpecs, type OptionSpec } from '../state/options';
import { setOption, state } from '../state/state';
import { words } from '../state/words';
import { MenuList, type MenuItem } from './parts';

interface FilterMenuProps {
  anchor: HTMLElement;
  /** Called for what needs a value. */
  edit: (spec: OptionSpec) => void;
  onClose: (refocus: boolean) => void;
}

/** Those that most people need. */
const USUAL = new Set<string>(['focus', 'ignore', 'hide', 'mine', 'tagfocus', 'granularity']);

/** The usual filters and options, and those that are set, with what they do; then all of them. */
export default function FilterMenu({ anchor, edit, onClose }: FilterMenuProps) {
  const [all, setAll] = useState(false);
  const { options } = state.value;
  const specs = all ? optionSpecs : optionSpecs.filter((s) => USUAL.has(s.name) || options[s.name] !== undefined);
  return (
    <MenuList
      key={String(all)} // gives the focus to the first one again
      anchor={anchor}
      label="Add a filter or an option"
      columns={all}
      items={all ? menuItems(specs, all, edit) : [
        ...menuItems(specs, all, edit),
        'separator',
        { label: 'More', hint: `All ${optionSpecs.length} filters and options`, icon: 'more', stay: true, run: () => setAll(true) },
      ]}
      onClose={onClose}
    />
  );
}

function menuItems(specs: readonly OptionSpec[], grouped: boolean, edit: (spec: OptionSpec) => void): MenuItem[] {
  const items: MenuItem[] = [];
  let group = '';
  for (const spec of specs) {
    if (grouped && spec.group !== group) {
      items.push({ heading: spec.group });
      group = spec.group;
    }
    const on = state.value.options[spec.name] !== undefined;
    items.push({
      label: spec.title,
      hint: words[spec.name]?.about,
      ...(on ? { icon: 'check' as const } : {}),
      run: () => (spec.kind === 'flag' ? setOption(spec.name, on ? '' : flagOn(spec.name)) : edit(spec)),
    });
  }
  return items;
}
