import './tooltip.css';
import { useEffect, useRef } from 'preact/hooks';
import { render } from 'preact';
import { Kbd } from './Kbd';
import { place } from './place';

const DELAY = 450; // ms the pointer has to rest
const WARM = 300; // ms after one tooltip in which the next comes at once

/**
 * One tooltip for the page, shown for whatever has the attributes of tip(). It
 * repeats labels or adds small print: nothing may be only there. Rows of long
 * tables so cost no listener of their own.
 */
export function TooltipHost() {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const el = ref.current!;
    let owner: HTMLElement | null = null;
    let timer = 0;
    let closed = -WARM;
    const hide = () => {
      clearTimeout(timer);
      if (owner && el.matches(':popover-open')) {
        el.hidePopover();
        closed = performance.now();
      }
      owner = null;
    };
    const show = (target: HTMLElement) => {
      if (!target.isConnected || target.getAttribute('aria-expanded') === 'true') return;
      const { tip, keys } = target.dataset;
      render(<>{tip}{keys !== undefined && <Kbd keys={keys} />}</>, el);
      el.showPopover();
      const { x, y } = place(
        target.getBoundingClientRect(), { width: el.offsetWidth, height: el.offsetHeight }, { width: innerWidth, height: innerHeight },
      );
      el.style.left = `${x}px`;
      el.style.top = `${y}px`;
    };
    const over = (e: Event) => {
      const target = e.target instanceof Element ? e.target.closest<HTMLElement>('[data-tip]') : null;
      if (target === owner) return;
      hide();
      if (!target) return;
      const focused = e.type === 'focusin';
      if (focused && !target.matches(':focus-visible')) return;
      if (!focused && (e as PointerEvent).pointerType === 'touch') return;
      owner = target;
      timer = setTimeout(show, performance.now() - closed < WARM ? 0 : DELAY, target) as unknown as number;
    };
    const key = (e: KeyboardEvent) => {
      if (e.key === 'Escape') hide();
    };
    document.addEventListener('pointerover', over);
    document.addEventListener('focusin', over);
    document.addEventListener('pointerdown', hide);
    document.addEventListener('keydown', key);
    addEventListener('scroll', hide, true);
    return () => {
      hide();
      document.removeEventListener('pointerover', over);
      document.removeEventListener('focusin', over);
      document.removeEventListener('pointerdown', hide);
      document.removeEventListener('keydown', key);
      removeEventListener('scroll', hide, true);
    };
  }, []);
  // Labels say the same to screen readers, so the box itself is hidden from them.
  return <div ref={ref} popover="manual" class="tooltip" aria-hidden="true" />;
}
