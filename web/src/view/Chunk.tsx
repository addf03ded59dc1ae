import type { ComponentChildren, FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button, Empty } from './parts';

interface ChunkProps<P> {
  load: () => Promise<{ default: FunctionComponent<P> }>;
  props?: P;
  /** What to show meanwhile. */
  waiting?: ComponentChildren;
}

/** Components whose code has come, so that a view shown before is there at once. */
const loaded = new Map<() => Promise<unknown>, unknown>();

/** A component whose code is fetched when it is first shown. */
export function Chunk<P>({ load, props, waiting }: ChunkProps<P>) {
  const [, redraw] = useState(0);
  const [error, setError] = useState<unknown>(null);
  const Component = loaded.get(load) as FunctionComponent<P> | undefined;
  useEffect(() => {
    if (loaded.has(load)) return;
    let gone = false;
    load().then(
      (m) => {
        loaded.set(load, m.default);
        if (!gone) redraw((n) => n + 1);
      },
      (err: unknown) => {
        if (!gone) setError(err);
      },
    );
    return () => {
      gone = true;
    };
  }, [load]);
  if (error !== null) {
    return (
      <div role="alert">
        <Empty icon="warning" title="Part of this page could not be loaded">
          <p class="state-cause">{error instanceof Error ? error.message : String(error)}</p>
          <p>hone may have been stopped or replaced since the page was opened.</p>
          <Button icon="reset" onClick={() => location.reload()}>Reload the page</Button>
        </Empty>
      </div>
    );
  }
  if (!Component) return <>{waiting}</>;
  return <Component {...((props ?? {}) as P & {})} />;
}
