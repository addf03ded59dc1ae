// Links to places in source code: in an editor, and in the repository of the code. Pure.
//
// Names and paths come from profiles, which aren't trusted: only plain ones get a link.

import type { Build } from '../api/types';

/** A line of a function. */
export interface CodePlace {
  /** The function's name, as the linker has it. */
  fn: string;
  /** The file as the profile names it. */
  file: string;
  line: number;
}

export const EDITORS = ['vscode', 'goland', 'vim', 'path'] as const;
export type Editor = (typeof EDITORS)[number];

export const editorNames: Record<Editor, string> = { vscode: 'VS Code', goland: 'GoLand', vim: 'Vim', path: 'path:line' };

/** A file's path on this computer: the path in the profile, with one prefix replaced. */
export function localPath(file: string, from: string, to: string): string {
  return from !== '' && file.startsWith(from) ? to + file.slice(from.length) : file;
}

/** Whether a path is on this computer's own disks, not on another machine, and has no characters that a terminal acts on. */
export function isLocal(path: string): boolean {
  return /^(\/(?!\/)|[A-Za-z]:[/\\](?![/\\]))/.test(path)
    && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(path) && !/(^|[/\\])\.\.([/\\]|$)/.test(path);
}

const segments = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** The link that opens a line in an editor, '' if the editor has none or the path isn't on this computer. */
export function editorLink(editor: Editor, path: string, line: number): string {
  if (!isLocal(path)) return '';
  const there = path.replaceAll('\\', '/');
  if (editor === 'vscode') return `vscode://file/${segments(there.replace(/^\//, ''))}:${line}`;
  if (editor === 'goland') return `goland://open?file=${encodeURIComponent(path)}&line=${line}`;
  return '';
}

/** The import path of a function's package, '' if its name has none: "net/http.(*conn).serve" is in net/http. */
export function importPath(fn: string): string {
  const head = fn.replace(/[[(].*$/s, '');
  const slash = head.lastIndexOf('/');
  const dot = head.indexOf('.', slash + 1);
  if (dot < 0) return '';
  // The linker escapes dots of the last element.
  return head.slice(0, dot).replaceAll(/%([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

/** A template of links, for modules with a prefix: https://HOST/{repository}/blob/{ref}/{path}#L{line}. */
export interface Template {
  prefix: string;
  link: string;
}

/** A file in a repository. */
interface Kept {
  /** The start of an import path: github.com/owner/name. */
  repository: string;
  ref: string;
  path: string;
}

/** The link to a line in the repository at the profile's commit, null where that isn't known. */
export function repositoryLink(place: CodePlace, build: Build | null, template: Template | null): { href: string; ref: string } | null {
  const file = place.file.replaceAll('\\', '/');
  const kept = inStandardLibrary(place.fn, file, build) ?? ofModuleCache(file, template) ?? ofMainModule(place.fn, file, build, template);
  if (!kept || !plain(kept.path) || !plain(kept.repository) || !/^[\w.+/-]+$/.test(kept.ref)) return null;
  const link = template && under(kept.repository, template.prefix) ? template.link : HOSTS[kept.repository.split('/')[0]!];
  if (!link || !/^https?:\/\//.test(link)) return null;
  const [, ...rest] = kept.repository.split('/');
  const href = link.replaceAll(/\{(\w+)\}/g, (all, name: string) => ({
    repository: segments(rest.join('/')), module: segments(kept.repository), ref: segments(kept.ref), path: segments(kept.path),
    line: String(place.line),
  })[name] ?? all);
  return { href, ref: /^[0-9a-f]{40}$/.test(kept.ref) ? kept.ref.slice(0, 12) : kept.ref };
}

const HOSTS: Record<string, string> = {
  'github.com': 'https://github.com/{repository}/blob/{ref}/{path}#L{line}',
  'gitlab.com': 'https://gitlab.com/{repository}/-/blob/{ref}/{path}#L{line}',
  'bitbucket.org': 'https://bitbucket.org/{repository}/src/{ref}/{path}#lines-{line}',
  'codeberg.org': 'https://codeberg.org/{repository}/src/commit/{ref}/{path}#L{line}',
};

/** Import paths of other domains whose repositories are on one of these hosts. */
const ELSEWHERE: readonly [RegExp, string][] = [
  [/^golang\.org\/x\/([^/]+)/, 'github.com/golang/$1'],
  [/^k8s\.io\/([^/]+)/, 'github.com/kubernetes/$1'],
  [/^google\.golang\.org\/grpc(?=\/|$)/, 'github.com/grpc/grpc-go'],
  [/^google\.golang\.org\/protobuf(?=\/|$)/, 'github.com/protocolbuffers/protobuf-go'],
];

const plain = (path: string) => path !== '' && /^[\w.~+@ /!$&'()=,-]+$/.test(path) && path.split('/').every((p) => !/^\.*$/.test(p));

const under = (path: string, prefix: string) => prefix !== '' && (path === prefix || path.startsWith(`${prefix.replace(/\/$/, '')}/`));

/** Splits an import path into the repository and a folder in it; null if that can't be told. */
function split(path: string, template: Template | null): { repository: string; folder: string } | null {
  const moved = ELSEWHERE.reduce((at, [from, to]) => at.replace(from, to), path);
  if (template && under(moved, template.prefix)) {
    const repository = template.prefix.replace(/\/$/, '');
    return { repository, folder: moved.slice(repository.length + 1) };
  }
  const parts = moved.split('/');
  if (!(parts[0]! in HOSTS) || parts.length < 3) return null;
  return { repository: parts.slice(0, 3).join('/'), folder: parts.slice(3).join('/') };
}

const join = (...parts: string[]): string => parts.filter(Boolean).join('/');

/** Removes the major version from a module's path: in the repository, it is a tag and seldom a folder. */
const withoutMajor = (folder: string): string => folder.replace(/(^|\/)v[2-9]\d*(?=\/|$)/, '').replace(/^\//, '');

/** A file of the standard library, or null. */
function inStandardLibrary(fn: string, file: string, build: Build | null): Kept | null {
  const path = importPath(fn);
  if (path === '' || path === 'main' || path.split('/')[0]!.includes('.')) return null;
  const name = file.slice(file.lastIndexOf('/') + 1);
  if (file !== `${path}/${name}` && !file.endsWith(`/src/${path}/${name}`)) return null;
  // The path of a downloaded toolchain has the version.
  const version = /\/toolchain@v[\d.]+-(go[\w.]+?)\.\w+-\w+\//.exec(file)?.[1] ?? build?.go?.split(' ')[0] ?? '';
  return /^go1[\w.]*$/.test(version) ? { repository: 'github.com/golang/go', ref: version, path: `src/${path}/${name}` } : null;
}

/** A file of a module with its version in the path, as in the module cache; or null. */
function ofModuleCache(file: string, template: Template | null): Kept | null {
  const found = /^(?:.*\/pkg\/mod\/)?([^@]+)@(v\d[^/]*)\/(.+)$/.exec(file);
  if (!found || found[1]!.startsWith('/')) return null;
  const lower = (s: string) => s.replaceAll(/!([a-z])/g, (_, c: string) => c.toUpperCase());
  const where = split(lower(found[1]!), template);
  if (!where) return null;
  const folder = withoutMajor(where.folder);
  const ref = refOf(found[2]!);
  return { repository: where.repository, ref: ref.startsWith('v') ? join(folder, ref) : ref, path: join(folder, lower(found[3]!)) };
}

/** The name of a version in the repository: the tag, or for a version between releases the commit. */
function refOf(version: string): string {
  const bare = version.replace(/\+(incompatible|dirty)$/, '');
  return /[.-]\d{14}-([0-9a-f]{12})$/.exec(bare)?.[1] ?? bare;
}

/** A file of the program's own module, at the commit it was built from; or null. */
function ofMainModule(fn: string, file: string, build: Build | null, template: Template | null): Kept | null {
  const ref = build?.revision || refOf(build?.version ?? '');
  if (ref === '' || !/^([0-9a-f]{7,64}|v\d.*)$/.test(ref)) return null;
  const at = file.lastIndexOf('/');
  const [dir, name] = [file.slice(0, Math.max(at, 0)), file.slice(at + 1)];
  const named = importPath(fn);
  // With -trimpath, a file's folder is its import path.
  const trimmed = !/^([A-Za-z]:|\/)/.test(file);
  const path = trimmed ? dir : named === 'main' ? (build?.package ?? '') : named;
  const where = split(path, template);
  if (!where) return null;
  const folder = withoutMajor(where.folder);
  // If the folder is another one, the file may be another one, too.
  if (!trimmed && folder !== '' && !dir.endsWith(`/${folder}`)) return null;
  return { repository: where.repository, ref, path: join(folder, name) };
}
