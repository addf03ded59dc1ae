// The items that open a line in an editor, and in the repository.

import { EDITORS, editorLink, editorNames, localPath, repositoryLink, type CodePlace, type Editor } from '../../model/places';
import { leave } from '../../state/address';
import { buildOf } from '../../state/build';
import { shellQuote } from '../../state/command';
import { editor, pathFrom, pathTo, repositoryPrefix, repositoryTemplate, useEditor } from '../../state/editors';
import { copyText, type MenuItem } from '../parts';

/** A line, with the file that its source was read from, if that isn't the one the profile names. */
export interface SourcePlace extends CodePlace {
  path: string | undefined;
  /** The profile's id. */
  profile: string;
}

const pathOf = (p: SourcePlace): string => {
  const mapped = localPath(p.file, pathFrom.peek(), pathTo.peek());
  return mapped === p.file ? (p.path ?? p.file) : mapped;
};

/** The text to paste into an editor or terminal. A terminal acts on control characters, so they are escaped. */
function textFor(e: Editor, path: string, line: number): string {
  if (e === 'vim') return `vim +${line} -- ${shellQuote(path)}`;
  return /[\p{Cc}\p{Cf}]/u.test(path) ? shellQuote(`${path}:${line}`) : `${path}:${line}`;
}

/** Opens a line in the editor that was used last. */
export function openInEditor(p: SourcePlace): void {
  const path = pathOf(p);
  const e = editor();
  const link = editorLink(e, path, p.line);
  if (link !== '') leave(link);
  else if (e === 'vim') void copyText(textFor('vim', path, p.line), 'Vim command copied');
  else void copyText(textFor('path', path, p.line), 'path:line copied');
}

export async function openItems(p: SourcePlace, settings: () => void): Promise<MenuItem[]> {
  const path = pathOf(p);
  const chosen = editor();
  const template = repositoryPrefix.peek() && repositoryTemplate.peek()
    ? { prefix: repositoryPrefix.peek(), link: repositoryTemplate.peek() } : null;
  const { fn, file, line } = p;
  const order = [chosen, ...EDITORS.filter((e) => e !== chosen)];
  const build = await buildOf(p.profile);
  const kept = repositoryLink({ fn, file, line }, build, template);
  return [
    { heading: `${path.slice(path.search(/[^/\\]*$/))}:${line}` },
    ...order.flatMap((e): MenuItem[] => {
      const key = e === chosen ? { keys: 'E' } : {};
      const href = editorLink(e, path, line);
      if (href !== '') return [{ label: editorNames[e], icon: 'external', href, run: () => useEditor(e), ...key }];
      if (e !== 'vim' && e !== 'path') return []; // not a file on this computer
      const run = () => { useEditor(e); void copyText(textFor(e, path, line), `${e === 'vim' ? 'Vim command' : 'path:line'} copied`); };
      return [{ label: `Copy ${e === 'vim' ? 'Vim command' : 'path:line'}`, icon: 'copy', run, ...key }];
    }),
    'separator',
    kept
      ? {
        label: `Repository at ${kept.ref}`, icon: 'link',
        hint: new URL(kept.href).host + (build?.modified ? ', built with uncommitted changes' : ''),
        href: kept.href, away: true,
      }
      : { label: 'Repository', hint: 'The commit or the repository of this file isn’t known', icon: 'link', disabled: true },
    { label: 'Editor and repository …', icon: 'pencil', run: settings },
  ];
}
