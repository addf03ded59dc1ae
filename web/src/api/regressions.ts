// Regressions that hone serve found: see doc/reference/api.md.

import { request } from './client';

export interface RegressionCause {
  function: string;
  callees: boolean;
  /** The regression's function doesn't call it: it grew as what it calls did. */
  caller: boolean;
  /** Relative; 0 if the function is new. */
  growth: number;
  /** Of the service's cost, as a fraction. */
  share: number;
}

export interface Regression {
  id: string;
  /** open, acknowledged or resolved. */
  state: string;
  by: string;
  reason: string;
  /** When, in ms since 1970, as all times here; 0 if nobody did. */
  acknowledged: number;
  service: string;
  kind: string;
  /** The version that began at since; '' for a drift without one. */
  version: string;
  since: number;
  found: number;
  resolved: number;
  function: string;
  /** The cost includes what the function calls. */
  callees: boolean;
  type: string;
  unit: string;
  /** Per second of an instance (for values of a moment: of an instance), or per request. */
  before: number;
  after: number;
  /** The cost per request that was measured before: before is what it would be without the change. */
  measured?: number;
  per_request: boolean;
  /** Relative, with a 95 % interval; 0 without a cost before. */
  growth: number;
  low: number;
  high: number;
  /** The growth as a fraction of the service's cost. */
  share: number;
  affected: number;
  instances: number;
  /** The likeliest first. */
  causes: RegressionCause[];
  /** Functions below it that had no cost before. */
  new: string[];
  /** The selections that were compared. */
  base: string;
  head: string;
}

export interface Regressions {
  /** The latest first. */
  regressions: Regression[];
}

export interface RegressionService {
  name: string;
  kinds: string[];
  /** End of the latest time compared; 0 if none was. */
  compared: number;
  open: number;
  acknowledged: number;
  resolved: number;
}

export interface RegressionSummary {
  /** When the server last looked; 0 if it hasn't since it started. */
  looked: number;
  /** How often it looks, in ns. */
  every: number;
  services: RegressionService[];
}

/** All regressions, or those of a service. */
export async function regressions(service: string, signal?: AbortSignal): Promise<Regressions> {
  const query = service === '' ? '' : `?${new URLSearchParams({ service })}`;
  return (await (await request(`regressions${query}`, signal ? { signal } : {})).json()) as Regressions;
}

export const regressionSummary = async (): Promise<RegressionSummary> =>
  (await (await request('regressions/summary')).json()) as RegressionSummary;

const acknowledgement = (id: string) => `regressions/${encodeURIComponent(id)}/acknowledge`;

export async function acknowledge(id: string, reason: string): Promise<void> {
  await request(acknowledgement(id), {
    method: 'POST', body: JSON.stringify({ reason }), headers: { 'Content-Type': 'application/json' },
  });
}

export async function takeBack(id: string): Promise<void> {
  await request(acknowledgement(id), { method: 'DELETE' });
}
