// Where one reads code: the editor, where its files are on this computer, and a template of links
// to a repository. It is taste, which belongs to the browser and not to a link.

import { signal, type Signal } from '@preact/signals';
import { EDITORS, type Editor } from '../model/places';
import { keep, kept } from './taste';

function taste(key: string): Signal<string> {
  const value = signal(kept(key) ?? '');
  value.subscribe((v) => keep(key, v || null));
  return value;
}

const named = taste('hone.editor');

/** The editor that was used last. */
export const editor = (): Editor => EDITORS.find((e) => e === named.peek()) ?? 'vscode';
export const useEditor = (e: Editor): void => { named.value = e; };

/** How paths of profiles begin, and the folder here that has the same files. */
export const pathFrom = taste('hone.path.from');
export const pathTo = taste('hone.path.to');

/** The modules that a template is for, and the template. */
export const repositoryPrefix = taste('hone.repository');
export const repositoryTemplate = taste('hone.repository.link');
