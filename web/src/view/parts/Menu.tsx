import './menu.css';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button, IconButton, tip } from './Button';
import { Icon, type IconName } from './Icon';
import { Kbd } from './Kbd';
import { Floating, type Anchor } from './Popover';
import { toast } from './Toast';

export interface MenuAction {
  label: string;
  /** Small print below the label. */
  hint?: string | undefined;
  /** The hint is code. */
  code?: boolean | undefined;
  icon?: IconName | undefined;
  /** The key that does the same. */
  keys?: string | undefined;
  run?: (() => void) | undefined;
  /** Instead of run: a link; with download, one to a file. */
  href?: string | undefined;
  download?: boolean | undefined;
  /** A link to another site. It opens in a new tab. */
  away?: boolean | undefined;
  /** Given, the item is one of a choice and shows whether it is taken. */
  checked?: boolean | undefined;
  disabled?: boolean | undefined;
  /** The menu stays open: it shows others then. */
  stay?: boolean | undefined;
}
export type MenuItem = MenuAction | 'separator' | { heading: string };

const isAction = (item: MenuItem): item is MenuAction => typeof item === 'object' && 'label' in item;

interface MenuListProps {
  anchor: Anchor;
  align?: 'start' | 'end' | undefined;
  label: string;
  items: readonly MenuItem[];
  /** Its groups beside each other, where the window is wide enough. */
  columns?: boolean;
  /** Called when it closes; by a key or a choice, the focus should go back. */
  onClose: (refocus: boolean) => void;
}

/** An open menu: arrows, Home, End and first letters move, Enter and Space choose. */
export function MenuList({ anchor, align, label, items, columns, onClose }: MenuListProps) {
  const list = useRef<HTMLDivElement>(null);
  const typed = useRef({ text: '', at: 0 });
  const entries = () => [...list.current!.querySelectorAll<HTMLElement>('[role^=menuitem]:not([aria-disabled=true])')];

  useLayoutEffect(() => {
    const all = entries();
    (all.find((el) => el.getAttribute('aria-checked') === 'true') ?? all[0])?.focus();
  }, []);

  const onKeyDown = (e: KeyboardEvent) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = (i: number) => all[(i + all.length) % all.length]?.focus();
    if (e.key === 'ArrowDown') to(at + 1);
    else if (e.key === 'ArrowUp') to(at < 0 ? -1 : at - 1);
    else if (e.key === 'Home') to(0);
    else if (e.key === 'End') to(-1);
    else if (e.key === 'Tab') onClose(true);
    else if (e.key === ' ') all[at]?.click();
    else if (e.key.length === 1) {
      const now = performance.now();
      typed.current = { text: (now - typed.current.at < 700 ? typed.current.text : '') + e.key.toLowerCase(), at: now };
      const { text } = typed.current;
      const from = text.length > 1 ? at : at + 1;
      const order = [...all.slice(from), ...all.slice(0, from)];
      order.find((el) => el.dataset.label?.startsWith(text))?.focus();
    } else return;
    if (e.key !== 'Tab') e.preventDefault();
    e.stopPropagation();
  };

  return (
    <Floating anchor={anchor} align={align} class={columns ? 'menu menu-wide' : 'menu'} onClose={(how) => onClose(how === 'escape')}>
      <div ref={list} role="menu" aria-label={label} onKeyDown={onKeyDown}>
        {grouped(items).map((group, i) => (
          <div key={i} role="group" class="menu-group" {...(group.heading === undefined ? {} : { 'aria-label': group.heading })}>
            {group.heading !== undefined && <div role="presentation" class="menu-heading">{group.heading}</div>}
            {group.items.map((item) => <Entry key={item.label} item={item} close={() => onClose(true)} />)}
          </div>
        ))}
      </div>
    </Floating>
  );
}

/** Separators and headings each begin a group. */
function grouped(items: readonly MenuItem[]): { heading?: string; items: MenuAction[] }[] {
  const groups: { heading?: string; items: MenuAction[] }[] = [{ items: [] }];
  for (const item of items) {
    if (item === 'separator') groups.push({ items: [] });
    else if (isAction(item)) groups.at(-1)!.items.push(item);
    else groups.push({ heading: item.heading, items: [] });
  }
  return groups.filter((g) => g.items.length > 0 || g.heading !== undefined);
}

const AWAY = { target: '_blank', rel: 'noopener noreferrer' } as const;

function Entry({ item, close }: { item: MenuAction; close: () => void }) {
  const choice = item.checked !== undefined;
  const attrs = {
    role: choice ? 'menuitemradio' : 'menuitem',
    tabIndex: -1,
    class: 'menu-item',
    'data-label': item.label.toLowerCase(),
    ...(choice ? { 'aria-checked': item.checked } : {}),
    ...(item.disabled ? { 'aria-disabled': true } : {}),
    onPointerMove: (e: PointerEvent) => (e.currentTarget as HTMLElement).focus({ preventScroll: true }),
  } as const;
  const content = (
    <>
      {choice ? <span class="menu-check">{item.checked && <Icon name="check" />}</span> : item.icon && <Icon name={item.icon} />}
      <span class="menu-text">
        {item.label}
        {item.hint !== undefined && <span class={item.code ? 'menu-hint menu-code' : 'menu-hint'}>{item.hint}</span>}
      </span>
      {item.keys !== undefined && <Kbd keys={item.keys} />}
    </>
  );
  if (item.href !== undefined && !item.disabled) {
    return (
      <a
        {...attrs}
        href={item.href}
        {...(item.download ? { download: '' } : {})}
        {...(item.away ? AWAY : {})}
        onClick={() => { item.run?.(); close(); }}
      >
        {content}
      </a>
    );
  }
  return (
    <button
      type="button"
      {...attrs}
      onClick={() => {
        if (item.disabled) return;
        if (!item.stay) close();
        item.run?.();
      }}
    >
      {content}
    </button>
  );
}

export interface MenuProps {
  /** What is on the button; without it, the icon with the label as its tooltip. */
  button?: ComponentChildren;
  icon?: IconName;
  label: string;
  kind?: 'primary' | 'quiet' | 'plain';
  align?: 'start' | 'end';
  class?: string;
  /** Asked for when the menu opens, if it is a function. */
  items: readonly MenuItem[] | (() => readonly MenuItem[] | Promise<readonly MenuItem[]>);
}

/** A button with a menu. */
export function Menu({ button, icon, label, kind = 'quiet', align, items, class: more }: MenuProps) {
  const [shown, setShown] = useState<readonly MenuItem[] | null>(null);
  const ref = useRef<HTMLButtonElement>(null);
  const open = shown !== null;
  const show = async () => {
    try {
      setShown(typeof items === 'function' ? await items() : items);
    } catch (err) {
      toast(err instanceof Error ? err.message : String(err), 'error');
    }
  };
  const attrs = {
    'aria-haspopup': 'menu',
    'aria-expanded': open,
    onClick: () => (open ? setShown(null) : void show()),
    onKeyDown: (e: KeyboardEvent) => {
      if (e.key !== 'ArrowDown' || open) return;
      e.preventDefault();
      void show();
    },
    ...(more ? { class: more } : {}),
  } as const;
  return (
    <>
      {button === undefined && icon ? (
        <IconButton buttonRef={ref} icon={icon} label={label} {...attrs} />
      ) : (
        <Button buttonRef={ref} icon={icon} kind={kind} {...tip(label)} {...attrs}>
          {button}
          <Icon name="down" />
        </Button>
      )}
      {shown && ref.current && (
        <MenuList
          anchor={ref.current}
          align={align}
          label={label}
          items={shown}
          onClose={(refocus) => {
            setShown(null);
            if (refocus) ref.current?.focus();
          }}
        />
      )}
    </>
  );
}
