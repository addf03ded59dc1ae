// A long press opens the menu of a right click. Most browsers do that on their own; Safari on a phone doesn't.

const LONG = 600; // ms, longer than in browsers that do it on their own
const SLACK = 10; // pixels a finger may move

/** Follows fingers until the function it returns is called. */
export function listenLongPress(): () => void {
  const abort = new AbortController();
  const options = { signal: abort.signal, capture: true, passive: true };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let from = { x: 0, y: 0 };
  let fingers = 0;
  const stop = () => clearTimeout(timer);
  document.addEventListener('pointerdown', (e) => {
    if (e.pointerType === 'mouse') return;
    stop();
    fingers++;
    if (fingers > 1) return; // a pinch
    from = { x: e.clientX, y: e.clientY };
    const { target, clientX, clientY } = e;
    timer = setTimeout(() => {
      target?.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX, clientY, button: 2 }));
    }, LONG);
  }, options);
  document.addEventListener('pointermove', (e) => {
    if (Math.hypot(e.clientX - from.x, e.clientY - from.y) > SLACK) stop();
  }, options);
  for (const end of ['pointerup', 'pointercancel'] as const) {
    document.addEventListener(end, () => {
      fingers = Math.max(0, fingers - 1);
      stop();
    }, options);
  }
  document.addEventListener('contextmenu', stop, options); // the browser's own
  return () => {
    stop();
    abort.abort();
  };
}
