// The store of hone serve: see "Selections" to "Logging in" in doc/api.md.

import { request } from './client';

export interface ServiceKind {
  kind: string;
  type: string;
  unit: string;
  value: number;
  profiles: number;
  /** In nanoseconds, summed. */
  duration: number;
  /** End of the last one, ms since 1970, as all times here. */
  last: number;
}

export interface Service {
  name: string;
  kinds: ServiceKind[];
  /** The latest first. */
  versions: { version: string; profiles: number; last: number }[];
  profiles: number;
  last: number;
}

export interface Services {
  services: Service[];
  left: number;
}

/** How much of a resource a service uses: now is for all instances, mean and values (one per window) for an average one. */
export interface Usage {
  now: number | null;
  mean: number;
  values: (number | null)[];
}

export interface OverviewService {
  name: string;
  last: number;
  profiles: number;
  kinds: ServiceKind[];
  /** The newest version that runs, when it began (0: unknown), and the one before. */
  version: string;
  since: number;
  previous: string;
  /** How many versions have profiles, and how many run. */
  versions: number;
  running: number;
  instances: number;
  /** In cores, bytes in use, and their number. */
  cpu?: Usage;
  memory?: Usage;
  goroutines?: Usage;
}

export interface Overview {
  from: number;
  to: number;
  step: number;
  /** The most expensive first. */
  services: OverviewService[];
  left: number;
}

export interface FunctionShare {
  name: string;
  /** In percent, as those of changes. */
  share: number;
}

export interface FunctionChange {
  name: string;
  before: number;
  after: number;
  sure: number;
  /** 1 if the function costs an instance, or a request, more for sure, -1 if less, else 0. */
  cost: number;
}

/** Of one instance on average, in the units of Usage; or per request, in the unit of the comparison. */
export interface TotalChange {
  kind: string;
  per_request?: boolean;
  before: number;
  after: number;
  sure: number;
}

export interface ServiceComparison {
  profile: string;
  base: string;
  instances: number;
  /** Functions have what they cost per request, in unit; else shares, in percent. */
  per_request: boolean;
  unit?: string;
  functions: FunctionChange[];
  totals: TotalChange[];
}

export interface ServiceChanges {
  service: string;
  kind: string;
  to: number;
  top: FunctionShare[];
  version?: ServiceComparison;
  yesterday?: ServiceComparison;
}

export interface StoreLabel {
  name: string;
  values: string[];
  more: number;
}

export interface Figures {
  value: number | null;
  profiles: number;
  duration: number;
  last: number;
}

export interface GroupSeries {
  labels: Record<string, string>;
  type: string;
  unit: string;
  total: Figures;
  /** The selection of its profiles. */
  profile: string;
  /** Starts of windows. */
  time: number[];
  value: (number | null)[];
  profiles: number[];
  duration: number[];
}

export interface OverTime {
  from: number;
  to: number;
  step: number;
  series: GroupSeries[];
  left: number;
  warnings: string[];
}

/** Cells by time and the values of a label; without one, by time and ranges of single profiles' values. */
export interface HeatMap {
  from: number;
  to: number;
  step: number;
  label: string;
  type: string;
  unit: string;
  /** Starts of the columns that have profiles. */
  time: number[];
  rows: HeatRow[];
  /** A cell is an entry of these four; row and column are indexes in rows and time. */
  row: number[];
  column: number[];
  value: (number | null)[];
  profiles: number[];
  /** How many rows and profiles were left out. */
  left: number;
  earlier: number;
  warnings: string[];
}

export interface HeatRow extends Figures {
  label: string;
  low: number;
  high: number;
}

export interface History {
  from: number;
  to: number;
  step: number;
  type: string;
  unit: string;
  time: number[];
  total: number[];
  profiles: number[];
  duration: number[];
  /** In the time of the profiles, if costs per request were asked for; 0 if unknown. */
  requests?: number[];
  /** In the order they came; left is how many came before. */
  versions: HistoryVersion[];
  left: number;
  functions: FunctionHistory[];
  warnings: string[];
}

export interface HistoryVersion {
  version: string;
  first: number;
  total: number;
  profiles: number;
  duration: number;
  profile: string;
  /** Requests were counted in the time of its profiles. */
  counted: boolean;
  /** How many, if costs per request were asked for and all versions have them. */
  requests?: number;
}

export interface FunctionHistory {
  name: string;
  flat: number[];
  cum: number[];
  versions: { flat: number[]; cum: number[] };
  /** start: in the first window already. */
  first?: { time: number; version: string; start: boolean };
  /** In percent; sure is what of it is beyond the sampling error. cost: as in FunctionChange. */
  change?: { time: number; version: string; before: number; after: number; sure: number; cost: number };
  /** Growth of the value per profile, if functions are ranked by it; slope is per hour. */
  growth?: { slope: number; before: number; after: number; sure: number };
}

export interface Records {
  labels: { labels: Record<string, string>; type: string; unit: string }[];
  id: string[];
  time: number[];
  duration: number[];
  value: number[];
  profile: string[];
  series: number[];
  more: boolean;
}

export interface Marker {
  id: string;
  time: number;
  service: string;
  version: string;
  text: string;
  posted: boolean;
  /** The selection that a note is about. */
  profile?: string;
  /** Who posted it. */
  by?: string;
}

export interface User {
  name: string;
  roles: string[];
  services?: string[];
  by: 'none' | 'token' | 'session';
}

export interface Notice {
  level: 'info' | 'warning' | 'error';
  text: string;
  since?: number;
}

export interface Status {
  version: string;
  start: number;
  now: number;
  uptime: number;
  user: User;
  ready: boolean;
  notices: Notice[];
  ingest: { protocol: string; profiles: number; bytes: number; refused: Record<string, number> }[];
  degraded: Record<string, number>;
  limits: { name: string; limit: number; used?: number; hits: number; last?: number }[];
  store: Record<string, unknown> | null;
  /** How long profiles are kept, in ns; 0 is for good. */
  retention: number;
  queries: { running: number; waiting: number; limit: number; refused: number };
  aside: { service: string; from: number; since: number; profiles: number | null; problem: string; next: string }[];
  scrape: {
    job: string; target: string; kind: string; labels: Record<string, string> | null; state: string; last?: number; took: number;
    error?: string; profiles: number;
  }[];
}

/** Parameters; those that are empty are not sent. */
export type Params = Readonly<Record<string, string | number | readonly string[]>>;

export function paramsText(params: Params): string {
  const q = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (Array.isArray(value)) for (const one of value as readonly string[]) q.append(name, one);
    else if (value !== '' && value !== 0) q.set(name, String(value));
  }
  return q.toString();
}

export async function get<T>(path: string, params: Params, signal?: AbortSignal): Promise<T> {
  const query = paramsText(params);
  return (await (await request(query ? `${path}?${query}` : path, signal ? { signal } : {})).json()) as T;
}

export const services = (params: Params, signal?: AbortSignal) => get<Services>('services', params, signal);
export const overview = (params: Params, signal?: AbortSignal) => get<Overview>('overview', params, signal);
export const changes = (params: Params, signal?: AbortSignal) => get<ServiceChanges>('changes', params, signal);
export const labels = async (params: Params, signal?: AbortSignal) =>
  (await get<{ labels: StoreLabel[] }>('labels', params, signal)).labels;
export const series = (params: Params, signal?: AbortSignal) => get<OverTime>('series', params, signal);
export const heat = (params: Params, signal?: AbortSignal) => get<HeatMap>('heat', params, signal);
export const history = (params: Params, signal?: AbortSignal) => get<History>('history', params, signal);
export const records = (params: Params, signal?: AbortSignal) => get<Records>('records', params, signal);
export const status = () => get<Status>('status', {});
export const markers = async (params: Params, signal?: AbortSignal) =>
  (await get<{ markers: Marker[] }>('markers', params, signal)).markers;

export async function postMarker(marker: Pick<Marker, 'time' | 'service' | 'version' | 'text'>): Promise<void> {
  await request('markers', { method: 'POST', body: JSON.stringify(marker), headers: { 'Content-Type': 'application/json' } });
}

/** Posts a note on a selection; timelines show it at a time in ms. */
export async function postNote(profile: string, text: string, time: number): Promise<void> {
  const body = JSON.stringify({ profile, text, ...(time ? { time } : {}) });
  await request('markers', { method: 'POST', body, headers: { 'Content-Type': 'application/json' } });
}

export async function removeMarker(id: string): Promise<void> {
  await request(`markers/${encodeURIComponent(id)}`, { method: 'DELETE' });
}

export async function logout(): Promise<void> {
  await fetch('/logout', { method: 'POST' });
}
