import { Menu } from './parts';

// What the menus offer is worked out, and its code fetched, when they open.
const items = () => import('./exportItems');

export function ExportMenu() {
  return <Menu icon="download" label="Export" align="end" items={async () => (await items()).exportItems()} />;
}

export function CommandMenu() {
  return <Menu icon="terminal" label="Copy as command" align="end" items={async () => (await items()).commandItems()} />;
}
