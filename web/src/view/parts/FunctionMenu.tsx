import { signal } from '@preact/signals';
import { flagOn } from '../../state/options';
import { either, exactly } from '../../state/pattern';
import { go, setOption, state, stored, type State } from '../../state/state';
import { MenuList, type MenuItem } from './Menu';
import { pointBox } from './place';
import type { Anchor } from './Popover';
import { copyText } from './Toast';

interface Opened {
  name: string;
  anchor: Anchor;
  /** Where the focus was, and goes back to. */
  from: Element | null;
  extra: readonly MenuItem[];
}

const opened = signal<Opened | null>(null);

/**
 * Opens the menu of what can be done with a function: on a row or a frame, at
 * the element or the point. extra are entries of the view's own, put first.
 */
export function openFunctionMenu(name: string, at: HTMLElement | { x: number; y: number }, extra: readonly MenuItem[] = []): void {
  opened.value = { name, anchor: at instanceof HTMLElement ? at : pointBox(at.x, at.y), from: document.activeElement, extra };
}

/** What can be done with a function. */
export function functionItems(name: string): MenuItem[] {
  const pattern = exactly(name);
  const { options } = state.value;
  const show = (view: State['view']) => () => go({ view, fn: name });
  const yours = () => go({ view: 'top', fn: '', options: { ...options, focus: pattern, mine: flagOn('mine') } });
  return [
    { label: 'Source', icon: 'file', keys: 'g c', run: show('source') },
    { label: 'Callers and callees', icon: 'swap', keys: 'g s', run: show('sandwich') },
    { label: 'Your callers', hint: 'Which of your functions lead to it, with their cost', icon: 'user', run: yours },
    { label: 'Disassembly', icon: 'terminal', keys: 'g a', run: show('disasm') },
    { label: 'Peek', icon: 'eye', keys: 'g p', run: show('peek') },
    ...(stored.value
      ? [{ label: 'History', hint: 'Its share over time and by version', icon: 'chart', keys: 'g h', run: show('history') } as const]
      : []),
    'separator',
    { label: 'Focus', hint: 'Only samples with this function', icon: 'target', run: () => setOption('focus', pattern) },
    {
      label: 'Ignore', hint: 'Drop samples with this function', icon: 'minus',
      run: () => setOption('ignore', either(options.ignore ?? '', pattern)),
    },
    {
      label: 'Hide', hint: 'Hide the frame, keep its samples', icon: 'close',
      run: () => setOption('hide', either(options.hide ?? '', pattern)),
    },
    { label: 'Show from', hint: 'Start stacks at this function', icon: 'down', run: () => setOption('show_from', pattern) },
    'separator',
    { label: 'Copy name', icon: 'copy', run: () => void copyText(name, 'Name copied') },
  ];
}

/** Where openFunctionMenu shows; the shell has one. itemsOf: what can be done with a function there. */
export function FunctionMenuHost({ itemsOf }: { itemsOf: (name: string) => readonly MenuItem[] }) {
  const menu = opened.value;
  if (!menu) return null;
  const items = [{ heading: menu.name }, ...menu.extra, ...(menu.extra.length ? ['separator' as const] : []), ...itemsOf(menu.name)];
  return (
    <MenuList
      key={menu.name}
      anchor={menu.anchor}
      label={`Actions on ${menu.name}`}
      items={items}
      onClose={(refocus) => {
        opened.value = null;
        const back = menu.anchor instanceof HTMLElement ? menu.anchor : menu.from;
        if (refocus && (back instanceof HTMLElement || back instanceof SVGElement)) back.focus();
      }}
    />
  );
}
