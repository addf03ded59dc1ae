// What the menu Share offers, and what its keys do.

import { address } from '../../state/address';
import { commandsOf, type Commands } from '../../state/command';
import { matchShown } from '../../state/files';
import { permalink, permanent } from '../../state/permalink';
import { sourcesOf } from '../../state/profiles';
import { state, stored } from '../../state/state';
import { copyText, type MenuItem } from '../parts';

/** Copies a link that shows the same later. */
export const copyLink = (): void => void copyText(permalink(address(), true, Date.now()), 'Link copied');

/** What is shown, as commands that print the same later. */
export function commandsShown(): Commands {
  const s = permanent(state.peek(), Date.now());
  return commandsOf(s, s.profile.flatMap(sourcesOf), s.base.flatMap(sourcesOf), matchShown(s.view));
}

export const copyCommand = (): void => void copyText(commandsShown().hone, 'Command copied');

export function shareItems(): MenuItem[] {
  return [
    {
      label: 'Copy link', icon: 'link', keys: 'L', run: copyLink,
      hint: stored.value ? 'Shows this period, whatever arrives later' : 'Works for everyone who has this profile open',
    },
  ];
}
