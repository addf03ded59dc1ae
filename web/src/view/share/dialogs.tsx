// The dialogs of sharing. At most one is open. Their code is loaded when they open.

import { signal } from '@preact/signals';
import { Chunk } from '../Chunk';

type ShareDialog = 'keep' | 'notes';

export const shareDialog = signal<ShareDialog | null>(null);

const dialogs = { keep: () => import('./KeepDialog'), notes: () => import('./NotesDialog') };

export function ShareDialogs() {
  const onClose = () => { shareDialog.value = null; };
  const open = shareDialog.value;
  return open && <Chunk key={open} load={dialogs[open]} props={{ onClose }} />;
}
