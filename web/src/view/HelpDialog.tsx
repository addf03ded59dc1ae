import './help.css';
import type { ComponentChildren } from 'preact';
import { keyScopes } from '../state/keys';
import { Dialog, Kbd } from './parts';

const SERVED = (
  <>
    Everything shown is in the address: a link reproduces the view. Press a row or a frame to select its function in every view; the right
    button has more.
    What the page shows, scripts can have from <code>/api/v1</code>.
  </>
);

const FIND = (
  <>
    What is typed to find something is a regular expression, as <code>-focus</code> takes it, found anywhere in a name. In small letters it
    finds capitals too. What can’t be one, such as <code>(*T).Read</code>, is found as it stands.
  </>
);

/** The keys that work now, those of the view shown first. */
export default function HelpDialog({ onClose, foot = SERVED }: { onClose: () => void; foot?: ComponentChildren }) {
  const scopes = new Map<string, { keys: string; label: string }[]>();
  for (const { name, bindings } of keyScopes.value) {
    const list = scopes.get(name) ?? [];
    for (const b of bindings) if (!list.some((other) => other.keys === b.keys)) list.push(b);
    scopes.set(name, list);
  }
  const order = [...scopes].sort(([a], [b]) => rank(a) - rank(b));
  return (
    <Dialog title="Keys" onClose={onClose} class="help">
      <div class="help-scopes">
        {order.map(([name, list]) => (
          <section key={name}>
            <h3>{name}</h3>
            <dl>
              {list.map((b) => (
                <div key={b.keys}>
                  <dt><Kbd keys={b.keys} /></dt>
                  <dd>{b.label}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p class="help-foot">{FIND}</p>
      <p class="help-foot">{foot}</p>
    </Dialog>
  );
}

/** The shell's own keys stand after those of the view. */
function rank(scope: string): number {
  return scope === 'Views' ? 2 : scope === 'Everywhere' ? 1 : 0;
}
