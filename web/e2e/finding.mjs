// @ts-check
// Finds a browser that is installed, or installs it.

import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** @param {string} file */
export function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The first of some programs that is on the PATH, or at one of some places.
 * @param {string[]} names
 * @param {string[]} [places]
 * @returns {string | undefined}
 */
export function installed(names, places = []) {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return [...names.flatMap((name) => folders.map((folder) => join(folder, name))), ...places].find(isExecutable);
}

/** Installs a package of Debian where this may be done without asking: as root, which is a container. @param {string} name */
export function install(name) {
  if (process.getuid?.() !== 0) return;
  const options = /** @type {const} */ ({ stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  if (spawnSync('apt-get', ['update', '-qq'], options).status !== 0) return;
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name, 'fonts-dejavu-core'], options);
}

/**
 * The program that a variable of the environment names, if it is set.
 * @param {string} variable
 * @returns {string | undefined}
 */
export function named(variable) {
  const file = process.env[variable];
  if (file && !isExecutable(file)) throw new Error(`${variable}=${file} can't be run`);
  return file || undefined;
}
