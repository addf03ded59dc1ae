import './popover.css';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button, IconButton, tip } from './Button';
import { Icon, type IconName } from './Icon';
import { place, type Box } from './place';

export type Anchor = HTMLElement | Box;

interface FloatingProps {
  anchor: Anchor;
  align?: 'start' | 'end' | undefined;
  onClose: (how: 'escape' | 'outside') => void;
  children: ComponentChildren;
  role?: 'dialog' | 'presentation';
  /** Gives the first control the focus, at once. Else what is inside takes it. */
  first?: boolean;
  label?: string | undefined;
  class?: string | undefined;
}

/** A box over everything else that hangs on an anchor. Escape, and a press or the focus elsewhere, close it. */
export function Floating(
  { anchor, align = 'start', onClose, children, role = 'presentation', first = false, label, class: more }: FloatingProps,
) {
  const box = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;

  useLayoutEffect(() => {
    const el = box.current!;
    // The top layer, so that no ancestor clips it and no z-index is needed.
    el.showPopover();
    // Keys are for it from now on.
    if (role === 'dialog') el.focus({ preventScroll: true });
    const arrival = first ? focusFirst(el) : undefined;
    const settle = () => {
      const at = anchor instanceof HTMLElement ? anchor.getBoundingClientRect() : anchor;
      const border = el.offsetHeight - el.clientHeight;
      const size = { width: el.offsetWidth, height: el.scrollHeight + border };
      const { x, y, height } = place(at, size, { width: innerWidth, height: innerHeight }, align);
      el.style.maxHeight = `${height}px`;
      el.style.left = `${x}px`;
      el.style.top = `${y}px`;
    };
    settle();
    const resized = new ResizeObserver(settle);
    resized.observe(el);
    resized.observe(body.current!); // grows when the box can't
    addEventListener('resize', settle);
    return () => {
      arrival?.disconnect();
      resized.disconnect();
      removeEventListener('resize', settle);
    };
  }, [anchor, align, first]);

  // Before it is painted: a key may come as soon as it is seen.
  useLayoutEffect(() => {
    const inside = (target: EventTarget | null) =>
      target instanceof Node && (box.current?.contains(target) || (anchor instanceof HTMLElement && anchor.contains(target)));
    const press = (e: PointerEvent) => {
      if (!inside(e.target)) close.current('outside');
    };
    const focus = (e: FocusEvent) => {
      // A box opened from this one (a tooltip, a nested menu) keeps it open.
      if (!inside(e.target) && !(e.target instanceof Element && e.target.closest('.floating, dialog'))) close.current('outside');
    };
    const key = (e: KeyboardEvent) => {
      if (e.key !== 'Escape' || e.defaultPrevented) return;
      e.preventDefault();
      e.stopPropagation();
      close.current('escape');
    };
    const el = box.current!;
    document.addEventListener('pointerdown', press, true);
    document.addEventListener('focusin', focus);
    el.addEventListener('keydown', key);
    return () => {
      document.removeEventListener('pointerdown', press, true);
      document.removeEventListener('focusin', focus);
      el.removeEventListener('keydown', key);
    };
  }, [anchor]);

  return (
    <div ref={box} popover="manual" role={role} aria-label={label} tabIndex={-1} class={`floating${more ? ` ${more}` : ''}`}>
      <div ref={body}>{children}</div>
    </div>
  );
}

/** Moves the focus to the first control inside, at once: the next key is for it. Until there is one, the box has it. */
function focusFirst(box: HTMLElement): MutationObserver | undefined {
  const into = () => {
    const first = box.querySelector<HTMLElement>('input:not(:disabled), button:not(:disabled), select, a[href]');
    first?.focus({ preventScroll: true });
    return first !== null;
  };
  if (into()) return undefined;
  const arrival = new MutationObserver(() => {
    if (document.activeElement !== box || into()) arrival.disconnect();
  });
  arrival.observe(box, { childList: true, subtree: true });
  return arrival;
}

export interface PopoverProps {
  /** What is on the button; without it, the icon with the label as its tooltip. */
  button?: ComponentChildren;
  icon?: IconName;
  label: string;
  keys?: string;
  kind?: 'primary' | 'quiet' | 'plain';
  align?: 'start' | 'end';
  class?: string;
  buttonClass?: string;
  /** Set to open it from outside; changes are told to onOpen. */
  open?: boolean;
  onOpen?: (open: boolean) => void;
  children: (close: () => void) => ComponentChildren;
}

/** A button that opens a small panel beside itself. */
export function Popover(props: PopoverProps) {
  const { button, icon, label, keys, kind = 'quiet', align, children } = props;
  const [own, setOwn] = useState(false);
  const ref = useRef<HTMLButtonElement>(null);
  const open = props.open ?? own;
  const set = (to: boolean) => {
    setOwn(to);
    props.onOpen?.(to);
  };
  const close = () => {
    set(false);
    ref.current?.focus();
  };
  const attrs = { 'aria-haspopup': 'dialog', 'aria-expanded': open, onClick: () => set(!open) } as const;
  return (
    <>
      {button === undefined && icon ? (
        <IconButton buttonRef={ref} icon={icon} label={label} keys={keys} {...attrs} />
      ) : (
        <Button
          buttonRef={ref}
          icon={icon}
          kind={kind}
          {...attrs}
          {...(props.buttonClass ? { class: props.buttonClass } : {})}
          {...tip(label, keys)}
        >
          {button}
          <Icon name="down" />
        </Button>
      )}
      {open && ref.current && (
        <Floating
          anchor={ref.current}
          align={align}
          role="dialog"
          first
          label={label}
          class={`popover${props.class ? ` ${props.class}` : ''}`}
          onClose={(how) => (how === 'escape' ? close() : set(false))}
        >
          {children(close)}
        </Floating>
      )}
    </>
  );
}
