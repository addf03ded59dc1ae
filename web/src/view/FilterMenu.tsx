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

/** All filters and options, with what they do. */
export default function FilterMenu({ anchor, edit, onClose }: FilterMenuProps) {
  return (
    <MenuList
      anchor={anchor}
      label="Add a filter or an option"
      columns
      items={menuItems(state.value.options, edit)}
      onClose={onClose}
    />
  );
}

function menuItems(options: Readonly<Record<string, string>>, edit: (spec: OptionSpec) => void): MenuItem[] {
  const items: MenuItem[] = [];
  let group = '';
  for (const spec of optionSpecs) {
    if (spec.group !== group) {
      items.push({ heading: spec.group });
      group = spec.group;
    }
    const on = options[spec.name] !== undefined;
    items.push({
      label: spec.title,
      hint: words[spec.name]?.about,
      ...(on ? { icon: 'check' as const } : {}),
      run: () => (spec.kind === 'flag' ? setOption(spec.name, on ? '' : flagOn(spec.name)) : edit(spec)),
    });
  }
  return items;
}
