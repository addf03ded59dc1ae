import { Component, createElement, type ComponentChild, type FunctionComponent } from 'preact';

/** A component that is rendered anew only when a property is another one. */
export function memo<P extends object>(of: FunctionComponent<P>): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const now = this.props as Readonly<P>;
      return (Object.keys(next) as (keyof P)[]).some((name) => name in now && next[name] !== now[name]);
    }
    override render(): ComponentChild {
      return createElement(of, this.props as P);
    }
  }
  return Memo as unknown as FunctionComponent<P>;
}
