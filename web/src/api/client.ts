// Asks the server. Answers about a profile never change, so they are kept.

import { parseFigures } from './figures';
import type { Answer, Build, Profile, ProfileInfo, Profiles, SavedView } from './types';

/** An error of the server, or of the way to it (status 0). */
export class ApiError extends Error {
  readonly status: number;
  /** The parameter to blame, if one is. */
  readonly param: string | undefined;

  constructor(status: number, message: string, param?: string) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.param = param;
  }
}

const API = '/api/v1/';

let reach: (reached: boolean) => void = () => {};

/** Tells after every request whether the server could be reached. */
export function onReach(listener: (reached: boolean) => void): void {
  reach = listener;
}

let logIn: () => void = () => {};

/** Tells when the server answers only to who has logged in. */
export function onLogin(listener: () => void): void {
  logIn = listener;
}

/** Whether the server answers. */
export async function ping(): Promise<boolean> {
  return listProfiles().then(
    () => true,
    (err: unknown) => !(err instanceof ApiError) || err.status !== 0,
  );
}

export async function request(path: string, init?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(API + path, init);
  } catch (err) {
    if (err instanceof DOMException && err.name === 'AbortError') throw err;
    reach(false);
    throw new ApiError(0, 'The server doesn’t respond. Is hone still running?');
  }
  reach(true);
  if (response.ok) return response;
  let message = `${response.status} ${response.statusText}`;
  let param: string | undefined;
  try {
    const { error } = (await response.json()) as { error?: string | { message?: string; param?: string; login?: string } };
    const told = typeof error === 'string' ? { message: error } : error; // of a push it is a text
    if (response.status === 401 && told?.login === '/login') logIn();
    message = told?.message ?? message;
    param = told?.param;
  } catch {
    // Not from hone: the status has to do.
  }
  throw new ApiError(response.status, message, param);
}

export async function listProfiles(): Promise<Profiles> {
  return (await (await request('profiles')).json()) as Profiles;
}

export async function openProfile(file: Blob, name: string): Promise<Profile> {
  const init = { method: 'POST', body: file };
  return (await (await request(`profiles?name=${encodeURIComponent(name)}`, init)).json()) as Profile;
}

export async function profileInfo(id: string): Promise<{ profile: ProfileInfo; warnings: string[] }> {
  return (await (await request(`profiles/${encodeURIComponent(id)}`)).json()) as {
    profile: ProfileInfo;
    warnings: string[];
  };
}

/** The build that a profile was taken of, null if unknown. */
export async function profileBuild(id: string): Promise<Build | null> {
  return ((await (await request(`profiles/${encodeURIComponent(id)}/build`)).json()) as { build: Build | null }).build;
}

/**
 * Sends a profile that is open to the server's store, as taken at a time in ms, and returns its id there. Labels must not be
 * empty; the name of the file becomes one.
 */
export async function keepProfile(id: string, of: { service: string; version: string; name: string }, now: number): Promise<string> {
  const file = await (await request(`report/proto?${new URLSearchParams({ profile: id, format: 'pb.gz' })}`)).blob();
  const q = new URLSearchParams({ service: of.service, time: `${now}000000` });
  if (of.version) q.set('version', of.version);
  if (of.name) q.set('label.file', of.name);
  const response = await request(`profiles?${q}`, { method: 'POST', body: file });
  const kept = response.headers.get('Hone-Profile-Id');
  if (!kept) throw new ApiError(response.status, 'The server didn’t return the id of the stored profile.');
  return kept;
}

/** Path of a report, as links and downloads use it. */
export function reportPath(name: string, query: URLSearchParams): string {
  return `${API}report/${name}?${query}`;
}

const kept = new Map<string, unknown>();
const KEPT = 40; // answers; the browser's own cache has more

/** Asks for a report. The answer is shared: do not change it. */
export async function report<T>(name: string, query: URLSearchParams, signal?: AbortSignal): Promise<Answer<T>> {
  const key = `${name}?${query}`;
  const known = kept.get(key);
  if (known !== undefined) {
    kept.delete(key); // and to the end of the line
    kept.set(key, known);
    return known as Answer<T>;
  }
  const response = await request(`report/${key}`, signal ? { signal } : undefined);
  const answer = parseFigures<Answer<T>>(await response.text());
  kept.set(key, answer);
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT) break;
    kept.delete(oldest);
  }
  return answer;
}

export async function savedViews(): Promise<SavedView[]> {
  return ((await (await request('views')).json()) as { views: SavedView[] }).views;
}

export async function saveView(name: string, query: string): Promise<void> {
  const init = { method: 'PUT', body: JSON.stringify({ query }), headers: { 'Content-Type': 'application/json' } };
  await request(`views/${encodeURIComponent(name)}`, init);
}

export async function deleteView(name: string): Promise<void> {
  await request(`views/${encodeURIComponent(name)}`, { method: 'DELETE' });
}
