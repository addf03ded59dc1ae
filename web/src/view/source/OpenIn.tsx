// The menu that opens a line elsewhere, and its settings. Their code is loaded when they are used.

import { signal } from '@preact/signals';
import { Chunk } from '../Chunk';
import { Menu, MenuList, pointBox, type MenuItem } from '../parts';
import type { SourcePlace } from './openItems';

const items = () => import('./openItems');
const settings = () => import('./EditorSettings');

const setting = signal(false);
const pointed = signal<{ x: number; y: number; items: readonly MenuItem[]; label: string } | null>(null);

const itemsOf = async (place: SourcePlace) => (await items()).openItems(place, () => { setting.value = true; });

/** Opens a line in the editor that was used last. */
export const openPlace = (place: SourcePlace): void => void items().then((m) => m.openInEditor(place));

/** Shows the menu for a line at a point. */
export async function openPlaceMenu(place: SourcePlace, x: number, y: number): Promise<void> {
  pointed.value = { x, y, items: await itemsOf(place), label: `Open line ${place.line}` };
}

export function OpenIn({ place }: { place: SourcePlace }) {
  return <Menu icon="external" label={`Open line ${place.line}`} items={() => itemsOf(place)} />;
}

/** The menu at a point, and the settings. A view has one. */
export function OpenInHost() {
  const menu = pointed.value;
  return (
    <>
      {menu && (
        <MenuList
          key={menu.label}
          anchor={pointBox(menu.x, menu.y)}
          label={menu.label}
          items={menu.items}
          onClose={() => { pointed.value = null; }}
        />
      )}
      {setting.value && <Chunk load={settings} props={{ onClose: () => { setting.value = false; } }} />}
    </>
  );
}
