// What requests cost by endpoint, and the costliest profiles and spans: see "Over time" in doc/reference/api.md.

import { get, type Params } from './continuous';

export interface EndpointCost {
  /** '' is what is outside of requests. */
  endpoint: string;
  requests: number;
  /** Of a request; null where none were counted. */
  cost: number | null;
  /** Of all that the selection costs, in percent. */
  share: number;
  over: { requests: number[]; cost: (number | null)[] };
}

export interface Endpoints {
  from: number;
  to: number;
  step: number;
  type: string;
  unit: string;
  /** Starts of windows. */
  time: number[];
  /** The costliest first. */
  endpoints: EndpointCost[];
  total: EndpointCost;
  left: number;
  warnings: string[];
}

export interface Exemplar {
  time: number;
  /** ns */
  duration: number;
  value: number;
  type: string;
  unit: string;
  labels: Record<string, string>;
  profile: string;
  /** The costliest span of it. */
  span?: { id: string; name: string; trace: string; value: number; profile: string };
}

export interface Exemplars {
  from: number;
  to: number;
  step: number;
  exemplars: Exemplar[];
}

export const endpoints = (params: Params, signal?: AbortSignal) => get<Endpoints>('endpoints', params, signal);
export const exemplars = (params: Params, signal?: AbortSignal) => get<Exemplars>('exemplars', params, signal);
