// The profiles that are open, and what is known of those shown.

import { computed, signal } from '@preact/signals';
import { ApiError, listProfiles, openProfile, profileInfo } from '../api/client';
import type { Profile, ProfileInfo } from '../api/types';
import { cut, origin, visit, where } from './address';
import { sampleTypeIndex } from './options';
import { comparing, mineShown } from './mine';
import { isSelection, parseSelection, selectionName, selectionQuery, timesText, timeText } from './selection';
import { go, href, parse, state, type State } from './state';
import { pageState } from './pages';
import { parsePart, partName } from './parts';
import { runsState, withoutFinding } from './runs';
import { withoutRates } from './selected';

export const profiles = signal<readonly Profile[] | null>(null);

/** What is known of the first profile shown. */
export interface Shown {
  id: string;
  /** For a moment that of the profile before, until its own has come. */
  info?: ProfileInfo;
  warnings?: readonly string[];
  error?: ApiError;
}
export const shown = signal<Shown | null>(null);

/** Whether there is your code and other code, as far as that is known. */
export const foldable = (): boolean => shown.value?.info?.foldable ?? true;

/** Whether only your code is shown, as far as that is known. */
export const showsMine = (of: State): boolean => mineShown(of, foldable());

/** Whether a profile has a sample type in common with those that are shown, as far as that is known. */
export function comparable(p: Profile): boolean {
  const types = (all: Profile | undefined) => all?.types?.map((t) => `${t.type} ${t.unit}`);
  const own = types(p);
  return state.value.profile.every((id) => {
    const others = types(profiles.value?.find((other) => other.id === id));
    return !own || !others || own.some((type) => others.includes(type));
  });
}

/** Whether an id is one that lasts only until the profile is loaded: those of content are hexadecimal. */
export function provisional(id: string): boolean {
  return id.startsWith('w');
}

/** What stands for a profile's facts while they are on their way. */
export function unknownInfo(id: string): ProfileInfo {
  return {
    id, name: nameOf(id), merged: 1, state: 'ready', header: [], sampleTypes: [], defaultSampleType: 0, duration: 0,
    period: 0, periodType: { type: '', unit: '' }, comments: [], foldable: true, samples: 0,
    functions: 0, locations: 0, mappings: [], labels: [],
  };
}

/** Whether the server has kept runs. */
export const hasRuns = signal(false);

/** Whether the server has a store to select profiles from. */
export const hasStore = signal(false);

/** Whether the server has the source that there is advice on; null while nobody knows. */
export const hasSource = signal<boolean | null>(null);

/** Why the list of profiles could not be had. */
export const listError = signal<ApiError | null>(null);

/** Names of files on their way to the server. */
export const opening = signal<readonly string[]>([]);

const asError = (err: unknown) => (err instanceof ApiError ? err : new ApiError(0, String(err)));

/** Asks for what the page needs first: the list, and in the same moment what a full link names. */
export async function start(): Promise<void> {
  const bare = cut(where.peek())[1] === '';
  follow();
  try {
    const { profiles: open, start: query, runs, continuous, advice } = await listProfiles();
    profiles.value = open;
    hasRuns.value = runs === true;
    hasStore.value = continuous === true;
    hasSource.value = advice === true;
    listError.value = null;
    if (runsState.peek() || pageState.peek()) return; // other pages have a state of their own
    const [path] = cut(where.peek());
    if (continuous && state.peek().profile.length === 0 && (path === '/' || open.length === 0)) {
      visit('/services', 'replace'); // services are what there is to choose from
      return;
    }
    const wanted = bare && query ? opened(parse(`${path}?${query}`), path) : state.peek();
    const first = open.find((p) => p.state !== 'failed') ?? open[0];
    const next = wanted.profile.length === 0 && first ? { ...wanted, profile: [first.id] } : wanted;
    visit(href(next), 'replace');
  } catch (err) {
    listError.value = asError(err);
  }
}

/** What the command line opens: of a comparison the list of what changed. */
const opened = (s: State, path: string): State =>
  (s.base.length === 0 ? s : { ...s, ...comparing(s), ...(path === '/' ? {} : { view: s.view }) });

/** Keeps shown at the first profile of the state. */
function follow(): void {
  const first = computed(() => state.value.profile[0]);
  first.subscribe((id) => {
    if (id === undefined) shown.value = null;
    else if (shown.peek()?.id !== id) void loadInfo(id);
  });
  // What the two sides of a comparison are called.
  const runs = computed(() => {
    const { profile, base } = state.value;
    return base.length === 0 ? '' : [...new Set([...base, ...profile].map((id) => runOf(id)?.[0] ?? ''))].filter(Boolean).join(' ');
  });
  runs.subscribe((ids) => {
    const unknown = ids.split(' ').filter((id) => id && !(id in commits.peek()));
    if (unknown.length > 0) learnCommits(unknown).catch(() => {}); // their times tell them apart, too
  });
  // Others get their lasting ids too, whoever put them into the state.
  const waiting = computed(() => {
    const { profile, base } = state.value;
    return [...new Set([...profile.slice(1), ...base])].filter(provisional).join(' ');
  });
  waiting.subscribe((ids) => {
    if (ids !== '') void settle(ids.split(' '));
  });
}

async function settle(ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    try {
      swapIDs(id, (await profileInfo(id)).profile.id);
    } catch {
      // The report that needs it tells.
    }
  }
  void refresh();
}

/** Puts one id in the place of another, in what is shown and in the address. */
function swapIDs(from: string, to: string): void {
  const swap = (ids: readonly string[]) => [...new Set(ids.map((id) => (id === from ? to : id)))];
  const { profile, base } = state.peek();
  if (from !== to) go({ profile: swap(profile), base: swap(base) }, 'replace');
}

export async function loadInfo(id: string): Promise<void> {
  // While the next one loads, what is there stays, so that the page keeps its
  // shape and the view can ask for its report already.
  const before = shown.peek()?.info;
  shown.value = { id, ...(before ? { info: before } : {}) };
  try {
    const { profile: info, warnings } = await profileInfo(id);
    if (shown.peek()?.id !== id) return;
    if (info.id !== id) {
      // A source that was waiting has its content now, and with it its lasting id.
      shown.value = { id: info.id, info, warnings: warnings ?? [] };
      swapIDs(id, info.id);
    } else {
      shown.value = { id, info, warnings: warnings ?? [] };
    }
    // Loaded just now, it is not listed as such yet.
    const listed = profiles.peek();
    if (info.id !== id || (listed && listed.find((p) => p.id === id)?.state !== 'ready')) void refresh();
  } catch (err) {
    if (shown.peek()?.id !== id) return;
    const error = asError(err);
    const averages = error.param === 'per' ? withoutRates(state.peek()) : null;
    if (averages) go(averages, 'replace');
    else shown.value = { id, error };
  }
}

/** The settings with which another profile is shown: a sample type that it hasn't got goes. */
async function settingsFor(id: string | undefined): Promise<Pick<State, 'options' | 'own'>> {
  const { options, own } = withoutFinding(state.peek());
  const { sample_index: type, ...others } = options;
  if (id === undefined || type === undefined) return { options, own };
  const there = await profileInfo(id).catch(() => null); // what failed is told where it is shown
  return { options: there && sampleTypeIndex(there.profile, type) < 0 ? others : options, own };
}

/**
 * Shows profiles, or compares with them. One that waits is loaded first: only
 * its content gives it its lasting id.
 */
export async function choose(which: 'profile' | 'base', ids: readonly string[]): Promise<void> {
  const waiting = (id: string) => profiles.peek()?.find((p) => p.id === id)?.state === 'waiting';
  const show = async (all: readonly string[]) => {
    const settings = await settingsFor(which === 'profile' ? all[0] : undefined);
    const begins = which === 'base' && state.peek().base.length === 0;
    go({ ...settings, ...(begins ? comparing({ ...state.peek(), ...settings }) : {}), [which]: all });
  };
  if (!ids.some(waiting)) {
    await show(ids);
    return;
  }
  const names = ids.filter(waiting).map(nameOf);
  opening.value = [...opening.peek(), ...names];
  try {
    const lasting = await Promise.all(ids.map(async (id) => (waiting(id) ? (await profileInfo(id)).profile.id : id)));
    await show([...new Set(lasting)]);
  } finally {
    opening.value = opening.peek().filter((name) => !names.includes(name));
    void refresh();
  }
}

/** Asks for the list again. */
export async function refresh(): Promise<void> {
  try {
    profiles.value = (await listProfiles()).profiles;
    listError.value = null;
  } catch (err) {
    if (profiles.peek() === null) listError.value = asError(err);
  }
}

/** Uploads files; what could be opened, and what could not with the reason. */
export async function openFiles(files: readonly File[]): Promise<{ opened: Profile[]; failed: { name: string; reason: string }[] }> {
  const opened: Profile[] = [];
  const failed: { name: string; reason: string }[] = [];
  opening.value = [...opening.peek(), ...files.map((f) => f.name)];
  for (const file of files) {
    try {
      opened.push(await openProfile(file, file.name));
    } catch (err) {
      failed.push({ name: file.name, reason: asError(err).message });
    }
    const i = opening.peek().indexOf(file.name);
    opening.value = opening.peek().filter((_, j) => j !== i);
  }
  await refresh();
  return { opened, failed };
}

/** What a command line would name to have a profile: the sources of a sum, else its name. */
export function sourcesOf(id: string): readonly string[] {
  // Any tool can fetch a selection, or a part of a profile.
  if (isSelection(id)) return [`${origin()}/api/v1/pprof?${selectionQuery(id)}`];
  if (parsePart(id)) return [`${origin()}/api/v1/report/proto?profile=${encodeURIComponent(id)}`];
  const list = profiles.value ?? [];
  const i = list.findIndex((p) => p.id === id);
  const p = list[i];
  if (!p) return [nameOf(id)];
  if (p.sources && p.sources.length > 0) return p.sources;
  return [p.name];
}

/** The names of profiles that came through the page: no command line knows where they are. */
export function uploadsAmong(ids: readonly string[]): string[] {
  const list = profiles.value ?? [];
  return ids.map((id) => list.find((p) => p.id === id)).filter((p) => p && !p.sources?.length).map((p) => p!.name);
}

/** The name of a profile, of its id if it is not open. */
export function nameOf(id: string): string {
  const part = parsePart(id);
  if (part) return partName(part, nameOf(part.profile));
  if (isSelection(id)) return selectionName(parseSelection(id, Date.now()));
  return profiles.value?.find((p) => p.id === id)?.name ?? (id.includes(':') ? id : id.slice(0, 12));
}

/** What a side of a comparison is called where it stands alone: names, of selections with their time. */
export const shownName = (ids: readonly string[]): string =>
  ids.map((id) => (isSelection(id) ? `${nameOf(id)}, ${timesText(parseSelection(id, Date.now()))}`
    : commitOf(id) ? shortName(id) : nameOf(id))).join(' + ');

/** The commits of kept runs whose profiles are compared, by run, or by run and "base" for what it was measured against. */
export const commits = signal<Readonly<Record<string, string>>>({});

const runOf = (id: string): [run: string, side: string] | null => {
  const [, run, base] = /^(\d{8}-\d{6}-\w+):(base\/)?/.exec(id) ?? [];
  return run === undefined ? null : [run, base ? `${run} base` : run];
};

/** The commit that a profile of a run is of, if it tells the two sides of the comparison apart. */
function commitOf(id: string): string {
  const of = (other: string) => commits.value[runOf(other)?.[1] ?? ''] ?? '';
  const { base, profile } = state.value;
  const [own, all] = [of(id), [...base, ...profile].map(of)];
  return base.length > 0 && new Set(all).size > 1 && all.every(Boolean) ? own : '';
}

async function learnCommits(runs: readonly string[]): Promise<void> {
  const { runInfo } = await import('../api/runs');
  const text = (r?: { commit?: string; dirty?: boolean }) => (r?.commit ? r.commit.slice(0, 7) + (r.dirty ? '+dirty' : '') : '');
  await Promise.all(runs.map(async (run) => {
    const { head, base } = await runInfo(run, new AbortController().signal);
    commits.value = { ...commits.peek(), [run]: text(head), [`${run} base`]: text(base) };
  }));
}

/** The last part of a path or an address: what tells profiles apart at a glance. */
export function shortName(name: string): string {
  // Of a run: its commit, or when it was measured, which tells runs apart where there is little room; then benchmark and kind.
  const ofRun = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-\w+:(.+)$/.exec(name);
  if (ofRun) {
    const [year, month, day, hour, minute, second] = ofRun.slice(1, 7).map(Number) as [number, number, number, number, number, number];
    const [, date, clock] = /^(.*) (\S+)$/.exec(timeText(Date.UTC(year, month - 1, day, hour, minute, second), true))!;
    const commit = commitOf(name);
    const what = ofRun[7]!.replace(/^base\//, '');
    return commit ? `${commit} ${what}, ${date} ${clock}` : `${clock} ${what}, ${date}`;
  }
  const bare = name.replace(/[/\\]+$/, '');
  if (/^https?:\/\//.test(bare)) return bare.replace(/^https?:\/\//, '').replace('/debug/pprof/', ' ');
  return bare.slice(Math.max(bare.lastIndexOf('/'), bare.lastIndexOf('\\')) + 1) || name;
}

/**
 * What a profile is called among those that are open: the last part of its name,
 * with as much of the folders as tells it from the others, and the beginning of
 * its id where nothing else does.
 */
export function distinctName(id: string): string {
  const part = parsePart(id);
  if (part) return partName(part, distinctName(part.profile));
  const name = nameOf(id);
  const others = (profiles.value ?? []).filter((p) => p.id !== id).map((p) => p.name);
  if (others.includes(name)) return `${shortName(name)} · ${id.slice(0, 8)}`;
  let shown = shortName(name);
  while (shown.length < name.length && name.endsWith(shown) && others.some((other) => sameEnd(other, shown))) {
    const above = name.slice(0, -shown.length).replace(/[/\\]+$/, '');
    shown = name.slice(Math.max(above.lastIndexOf('/'), above.lastIndexOf('\\')) + 1);
  }
  return shown;
}

/** Whether a name ends with some parts of a path. */
function sameEnd(name: string, end: string): boolean {
  return name === end || (name.endsWith(end) && /[/\\]/.test(name.at(-end.length - 1)!));
}
