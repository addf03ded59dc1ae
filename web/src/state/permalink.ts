// A link to share: it shows the same later, whatever profiles arrive until then.

import { href, parse, type State } from './state';
import { formatSelection, isSelection, parseSelection } from './selection';

/** The id of a selection, ended in the past so that it contains no later profiles. Other ids stay as they are. */
function pinned(id: string, now: number): string {
  if (!isSelection(id)) return id;
  const s = parseSelection(id, now);
  return formatSelection({ ...s, to: s.id ? s.to : Math.min(s.to || now, now) });
}

/** What is shown, with absolute times, and without options that change them. */
export function permanent(s: State, now: number): State {
  const { live: _, ...own } = s.own;
  return { ...s, profile: s.profile.map((id) => pinned(id, now)), base: s.base.map((id) => pinned(id, now)), own };
}

/** The link to share for an address. Addresses of other pages have no times. */
export function permalink(shown: string, isView: boolean, now: number): string {
  if (!isView) return shown;
  const url = new URL(shown);
  return url.origin + href(permanent(parse(url.pathname + url.search), now));
}
