import './table/pane.css';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Brand, ThemeMenu } from './Header';
import { IconButton } from './parts';

interface Props {
  title: string;
  /** A class of the header. */
  kind: string;
  /** What leads to other pages. */
  nav: ComponentChildren;
  onHelp: () => void;
  children: ComponentChildren;
}

/** What surrounds a page beside the views: the header, the window's title, the place of the content. */
export function PageFrame({ title, kind, nav, onHelp, children }: Props) {
  useEffect(() => {
    document.title = `${title} – hone`;
  }, [title]);
  return (
    <>
      <header class={`header header-bare ${kind}`}>
        <Brand />
        {nav}
        <div class="header-actions">
          <ThemeMenu />
          <IconButton icon="help" label="Keys and help" keys="?" onClick={onHelp} />
        </div>
      </header>
      <main class="view-main">
        <div id="view" tabIndex={-1} class="view-panel">
          <h1 class="visually-hidden">{title}</h1>
          {children}
        </div>
      </main>
    </>
  );
}

/** Focuses the page's field to find things with. */
export const focusFind = () => document.querySelector<HTMLInputElement>('main .find')?.focus();
