import './help.css';
import type { ComponentChildren } from 'preact';
import { keyScopes } from '../state/keys';
import { Dialog, Kbd } from './parts';

const SERVED = (
  <>
    The address contains the whole view, so you can share it as a link. Click a row or a frame to select its function in every view.
    Right-click it for more.
    Scripts get the same data from <code>/api/v1</code>.
  </>
);

const FIND = (
  <>
    A search is a regular expression, like that of <code>-focus</code>, found anywhere in a name. In lower case, it ignores
    case. Text that isn’t a valid expression, such as <code>(*T).Read</code>, is searched for literally.
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
