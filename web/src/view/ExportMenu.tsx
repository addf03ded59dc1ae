import { Menu } from './parts';

// What the menus offer is worked out, and its code fetched, when they open.
const items = () => import('./exportItems');

export function ExportMenu() {
  return <Menu icon="download" label="Export" align="end" items={async () => (await items()).exportItems()} />;
}

// Keys share without the menu.
export const share = () => import('./share/items');

export function ShareMenu() {
  return <Menu icon="link" label="Share" align="end" items={async () => (await share()).shareItems()} />;
}

export function CommandMenu() {
  return <Menu icon="terminal" label="Copy as command" align="end" items={async () => (await items()).commandItems()} />;
}
