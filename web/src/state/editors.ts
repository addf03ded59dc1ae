// Where you read code: the editor, the folder of the files on this computer, and a template of
// links to a repository. These settings are kept in the browser and are not part of links.

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

/** The prefix of paths in profiles, and the folder on this computer with the same files. */
export const pathFrom = taste('hone.path.from');
export const pathTo = taste('hone.path.to');

/** The prefix of modules that the template is for, and the template. */
export const repositoryPrefix = taste('hone.repository');
export const repositoryTemplate = taste('hone.repository.link');
