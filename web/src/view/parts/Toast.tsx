import './toast.css';
import { signal } from '@preact/signals';
import { Button, IconButton } from './Button';
import { Icon } from './Icon';

export interface ToastAction {
  label: string;
  run: () => void;
}

/** done: it worked; note: something to know; error: it did not work. */
export type ToastKind = 'done' | 'note' | 'error';

interface ToastEntry {
  id: number;
  text: string;
  kind: ToastKind;
  action?: ToastAction | undefined;
}

const toasts = signal<readonly ToastEntry[]>([]);
let last = 0;

const SHOWN = { done: 3500, note: 6000, error: 12_000 }; // ms
const ICONS = { done: 'check', note: 'info', error: 'warning' } as const;

/** Tells the outcome of something the user did, or what else there is to know. */
export function toast(text: string, kind: ToastKind = 'done', action?: ToastAction): void {
  const id = ++last;
  toasts.value = [...toasts.value.filter((t) => t.text !== text), { id, text, kind, action }].slice(-3);
  setTimeout(drop, SHOWN[kind], id);
}

function drop(id: number): void {
  toasts.value = toasts.value.filter((t) => t.id !== id);
}

export function ToastHost() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((t) => (
        <div key={t.id} class={`toast toast-${t.kind}`}>
          <Icon name={ICONS[t.kind]} />
          <span class="toast-text">{t.text}</span>
          {t.action && (
            <Button
              kind="plain"
              onClick={() => {
                drop(t.id);
                t.action!.run();
              }}
            >
              {t.action.label}
            </Button>
          )}
          <IconButton icon="close" label="Dismiss" onClick={() => drop(t.id)} />
        </div>
      ))}
    </div>
  );
}

/** Puts text on the clipboard and says so. */
export async function copyText(text: string, what = 'Copied'): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(what);
  } catch {
    // Plain http on another host has no clipboard; the old way still works there.
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'visually-hidden';
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    if (done) toast(what);
    else toast('The browser doesn’t allow copying here', 'error');
  }
}
