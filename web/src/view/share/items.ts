// The items of the menu Share, and their keys.

import { address } from '../../state/address';
import { markers } from '../../api/continuous';
import { commandsOf, shellQuote, withToken, type Commands } from '../../state/command';
import { guarded } from '../../state/continuous';
import { matchShown } from '../../state/files';
import { permalink, permanent } from '../../state/permalink';
import { hasStore, sourcesOf, uploadsAmong } from '../../state/profiles';
import { state, stored } from '../../state/state';
import { copyText, type MenuItem } from '../parts';
import { shareDialog } from './dialogs';

/** Copies a link that shows the same later. */
export const copyLink = (): void => void copyText(permalink(address(), true, Date.now()), 'Link copied');

/** The commands that print what is shown, also later. */
export function commandsShown(): Commands {
  const s = permanent(state.peek(), Date.now());
  const { hone, pprof } = commandsOf(s, s.profile.flatMap(sourcesOf), s.base.flatMap(sourcesOf), matchShown(s.view));
  return guarded() ? { hone: withToken(hone), pprof: withToken(pprof) } : { hone, pprof };
}

export const copyCommand = (): void => void copyText(commandsShown().hone, 'Command copied');

/** Copies a command that uploads the files shown to a server. */
function uploadCommand(): MenuItem[] {
  const files = state.peek().profile.flatMap(sourcesOf);
  if (files.length === 0 || uploadsAmong(state.peek().profile).length > 0 || files.some((f) => /^https?:/.test(f))) return [];
  const command = `hone push -link -service uploads ${files.map((f) => shellQuote(/^-./.test(f) ? `./${f}` : f)).join(' ')}`;
  return [{
    label: 'Upload to a server', icon: 'terminal', hint: command, code: true, run: () => void copyText(command, 'Command copied'),
  }];
}

/** How many notes the profiles shown have; '' if that can't be known. */
async function noteCount(): Promise<string> {
  const id = permanent(state.peek(), Date.now()).profile[0];
  if (!stored.peek() || id === undefined) return '';
  return markers({ profile: id }).then((notes) => (notes.length > 0 ? ` (${notes.length})` : ''), () => '');
}

export async function shareItems(): Promise<MenuItem[]> {
  const s = state.peek();
  const notes = await noteCount();
  return [
    {
      label: 'Copy link', icon: 'link', keys: 'L', run: copyLink,
      hint: stored.value ? 'Shows this period, whatever arrives later' : 'Works for everyone who has this profile open',
    },
    ...(hasStore.value && !stored.value && s.profile.length === 1 && s.base.length === 0 ? [{
      label: 'Keep on this server …', icon: 'bookmark', hint: 'A link to it keeps working', run: () => { shareDialog.value = 'keep'; },
    } as const] : []),
    ...(stored.value ? [{
      label: `Notes${notes} …`, icon: 'pencil', hint: 'Read and write notes on these profiles', run: () => { shareDialog.value = 'notes'; },
    } as const] : []),
    ...(!hasStore.value ? uploadCommand() : []),
  ];
}
