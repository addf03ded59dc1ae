import { Component, type ComponentChildren } from 'preact';
import { reload } from '../state/address';
import { Button, Empty } from './parts';

interface BoundaryState {
  error: unknown;
}

/** Keeps an error in one part of the page from taking the rest with it. */
export class Boundary extends Component<{ children: ComponentChildren }, BoundaryState> {
  override state: BoundaryState = { error: null };

  static override getDerivedStateFromError(error: unknown): BoundaryState {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div role="alert">
        <Empty icon="warning" title="This view failed">
          <p class="state-cause">{error instanceof Error ? error.message : String(error)}</p>
          <p>This is a bug in hone. Other views may still work.</p>
          <div class="button-row">
            <Button icon="reset" onClick={() => this.setState({ error: null })}>Try again</Button>
            <Button onClick={() => reload()}>Reload the page</Button>
          </div>
        </Empty>
      </div>
    );
  }
}
