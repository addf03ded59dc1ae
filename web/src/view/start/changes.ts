// The changes and findings of services. They are asked for when a service's row comes into view.

import { useEffect } from 'preact/hooks';
import { advice } from '../../api/advice';
import { changes as askChanges, type ServiceChanges } from '../../api/continuous';
import { adviceOnProfiles } from '../../state/advice';
import { lazily, type Lazily, type Lazy } from '../../state/lazily';
import { formatSelection, HOUR, MINUTE } from '../../state/selection';
import { formatSelector } from '../../state/selector';

/** How often answers change, on the server too. */
const ROUND = 10 * MINUTE;

const changes = lazily<ServiceChanges>((service, signal) => askChanges({ service }, signal), 2);

export interface Findings {
  /** The findings that are worth taking. */
  count: number;
  first: string;
  /** The selection they are about. */
  profile: string;
}

// One after the other: advice takes seconds of CPU time.
const findings = lazily<Findings>(async (service, signal) => {
  const to = Math.floor(Date.now() / ROUND) * ROUND;
  const q = formatSelector([{ name: 'kind', op: '=', value: 'cpu' }, { name: 'service', op: '=', value: service }]);
  const profile = formatSelection({ q, from: to - HOUR, to, sampleType: '', top: '', id: '', per: 'second' });
  for (;;) {
    const got = await advice(adviceOnProfiles([profile]), signal);
    if ('stage' in got) continue;
    const worth = got.findings.filter((f) => !f.folded && !f.little);
    return { count: worth.length, first: worth[0]?.title ?? '', profile };
  }
}, 1);

function useLazily<T>(all: Lazily<T>, service: string, now: number): Lazy<T> {
  const round = Math.floor(now / ROUND);
  useEffect(() => all.want(service, round), [service, round]);
  return all.of(service).value;
}

export const useChanges = (service: string, now: number): Lazy<ServiceChanges> => useLazily(changes, service, now);
export const useFindings = (service: string, now: number): Lazy<Findings> => useLazily(findings, service, now);

/** The changes of a service, as far as they are known. */
export const compared = (service: string): ServiceChanges | undefined => changes.of(service).peek().value;
