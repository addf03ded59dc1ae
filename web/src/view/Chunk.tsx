import type { ComponentChildren, FunctionComponent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ping } from '../api/client';
import { reload } from '../state/address';
import { connection } from '../state/connection';
import { Button, Empty } from './parts';

type Load<P> = () => Promise<{ default: FunctionComponent<P> }>;

interface ChunkProps<P> {
  load: Load<P>;
  props?: P;
  /** What to show meanwhile. */
  waiting?: ComponentChildren;
}

/** Components whose code has come, so that a view shown before is there at once. */
const loaded = new Map<() => Promise<unknown>, unknown>();

/** What is shown first comes with the page: a component that stands where others are fetched. */
export function here<P>(component: FunctionComponent<P>): Load<P> {
  const load = () => Promise.resolve({ default: component });
  loaded.set(load, component);
  return load;
}

/** Style sheets that failed to load. */
const unstyled = new Set<HTMLLinkElement>();
addEventListener('error', ({ target }) => {
  if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') unstyled.add(target);
}, true);

/** Asks for style sheets again: Vite, which puts them in with the first attempt, takes them for there in the next. */
async function restyle(): Promise<void> {
  await Promise.all([...unstyled].map((link) => new Promise((resolve, reject) => {
    unstyled.delete(link);
    const again = link.cloneNode() as HTMLLinkElement;
    again.addEventListener('load', resolve);
    again.addEventListener('error', () => reject(new Error(`couldn’t load ${link.href}`)));
    link.replaceWith(again);
  })));
}

/** A component whose code is fetched when it is first shown. */
export function Chunk<P>({ load, props, waiting }: ChunkProps<P>) {
  const [, redraw] = useState(0);
  const [error, setError] = useState<unknown>(null);
  const [attempt, setAttempt] = useState(0);
  const Component = loaded.get(load) as FunctionComponent<P> | undefined;
  useEffect(() => {
    setError(null);
    if (loaded.has(load)) return;
    let gone = false;
    restyle().then(load).then(
      (m) => {
        loaded.set(load, m.default);
        if (!gone) redraw((n) => n + 1);
      },
      (err: unknown) => {
        if (gone) return;
        setError(err);
        // The page has to learn whether the server is there. If it is, back from
        // having been away, it may be another one, of which only a new page knows
        // the files; or the browser remembers what failed.
        void ping().then((there) => {
          if (there && way.current === 'back') reload();
        });
      },
    );
    return () => {
      gone = true;
    };
  }, [load, attempt]);
  // Once the server is back, what it did not send is asked for again.
  const way = useRef<'' | 'gone' | 'back'>('');
  const now = connection.value;
  useEffect(() => {
    if (error === null) return;
    if (now === 'down') way.current = 'gone';
    else if (way.current === 'gone') {
      way.current = 'back';
      setAttempt((n) => n + 1);
    }
  }, [error, now]);
  if (error !== null) {
    return (
      <div role="alert">
        <Empty icon="warning" title="Part of this page couldn’t be loaded">
          <p class="state-cause">{error instanceof Error ? error.message : String(error)}</p>
          <p>hone may have been stopped or updated since you opened the page.</p>
          <div class="button-row">
            <Button icon="reset" onClick={() => setAttempt((n) => n + 1)}>Try again</Button>
            <Button kind="plain" onClick={() => reload()}>Reload the page</Button>
          </div>
        </Empty>
      </div>
    );
  }
  if (!Component) return <>{waiting}</>;
  return <Component {...((props ?? {}) as P & {})} />;
}
