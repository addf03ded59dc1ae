// Names of functions, shortened for labels.

/** The origin of what is no code of Go's, as the server numbers it. */
const NO_GO = 0;

/** Characters that can’t be in an import path: a name with one of them isn’t split at its slashes and dots. */
const FOREIGN = /[\s<>(){}"'`=;$\\]/;

/** Whether a text may be the path of a package, or the beginning of one. */
export const isPath = (text: string): boolean => !FOREIGN.test(text);

/** A name, or what stands for it if a function has none. */
export const orNoName = (name: string): string => (name.trim() === '' ? '(no name)' : name);

/** A frame's name for a label. What is no code of Go's has no import path to leave out: a label's "GET /api/users" stays whole. */
export function frameName(name: string, origin: number): string {
  return orNoName(origin === NO_GO ? name : shortName(name));
}

/** The same with less and less, where there is less room. */
export function nameForms(name: string, origin: number): readonly string[] {
  if (origin === NO_GO || orNoName(name) !== name) return [orNoName(name)];
  const short = shortName(name);
  const bare = bareName(short);
  const method = methodName(bare);
  return bare === method ? [short, bare] : [short, bare, method];
}

const VIA = ' via '; // between a function of yours and the one that is not it calls: see FoldForeign in package profile

/** Leaves out the folders of the import path: "net/http.(*conn).serve" is "http.(*conn).serve". */
export function shortName(name: string): string {
  const via = name.indexOf(VIA);
  if (via > 0) return shortName(name.slice(0, via)) + VIA + shortName(name.slice(via + VIA.length));
  if (name.startsWith('library: ')) return name;
  const cut = name.search(/[[(]/);
  const head = cut > 0 ? name.slice(0, cut) : name;
  const slash = head.lastIndexOf('/');
  return isPath(head.slice(0, slash + 1)) ? name.slice(slash + 1) : name;
}

/** Leaves the package and type arguments out of a short name, too: "(*conn).serve". */
export function bareName(short: string): string {
  // Where there is little room it stands below the caller.
  const via = short.indexOf(VIA);
  if (via > 0) return short.slice(via + 1);
  const dot = short.search(/\.(?=[(\w·])/);
  const bare = dot > 0 && isPath(short.slice(0, dot)) && !/[[:]/.test(short.slice(0, dot)) ? short.slice(dot + 1) : short;
  const bracket = bare.indexOf('[');
  return bracket > 0 ? bare.slice(0, bracket) + bare.slice(bare.lastIndexOf(']') + 1) : bare;
}

/** Leaves the receiver out of a bare name: where there is little room, what is done tells more than by whom. */
export function methodName(bare: string): string {
  if (bare.startsWith('via ')) return `via ${bareName(bare.slice(4))}`;
  const end = bare.startsWith('(') ? bare.indexOf(').') : -1;
  return end > 0 ? bare.slice(end + 2) : bare;
}

/** "dir/file.go" for a long path: who reads it has a folder or two in mind, not the root. */
export function shortPath(file: string): string {
  const parts = file.split('/');
  return parts.length <= 3 ? file : parts.slice(-2).join('/');
}
