// The entries of the menus Export and Copy as command, for what is shown.

import { ownExports } from '../state/exports';
import { guarded } from '../state/continuous';
import { exportsOf } from '../state/files';
import { uploadsAmong } from '../state/profiles';
import { state } from '../state/state';
import { copyText, type MenuItem } from './parts';
import { commandsShown, copyLink } from './share/items';
import { views } from './views';

export function exportItems(): MenuItem[] {
  return [
    { heading: `Export ${views.find((v) => v.id === state.value.view)!.title}` },
    ...ownExports.value,
    ...exportsOf(state.value).map((file) => ({ ...file, download: true })),
    'separator',
    {
      label: 'Copy link', icon: 'link', keys: 'L', hint: 'Works for everyone who has this profile open', run: copyLink,
    },
  ];
}

export function commandItems(): MenuItem[] {
  const s = state.value;
  const { hone, pprof } = commandsShown();
  const uploads = uploadsAmong([...s.profile, ...s.base]);
  return [
    { heading: 'Copy this view as a command' },
    ...(uploads.length > 0 ? [{ heading: `${uploads.join(', ')} was uploaded here: insert the path` }] : []),
    ...(guarded() && hone.includes('HONE_TOKEN') ? [{ heading: 'HONE_TOKEN: a token from hone token add -role read NAME' }] : []),
    { label: 'hone', keys: 'C', hint: hone, code: true, run: () => void copyText(hone, 'Command copied') },
    { label: 'go tool pprof', hint: pprof, code: true, run: () => void copyText(pprof, 'Command copied') },
  ];
}
