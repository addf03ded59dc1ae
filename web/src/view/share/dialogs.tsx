// The dialogs of sharing, of which one is open at most. Their code is fetched when they open.

import { signal } from '@preact/signals';
import { Chunk } from '../Chunk';

export type ShareDialog = 'keep';

export const shareDialog = signal<ShareDialog | null>(null);

const keep = () => import('./KeepDialog');

export function ShareDialogs() {
  const onClose = () => { shareDialog.value = null; };
  return shareDialog.value === 'keep' ? <Chunk load={keep} props={{ onClose }} /> : null;
}
