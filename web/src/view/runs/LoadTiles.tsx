// What is above the charts of a load: the figures to look at first, and what is below.

import { count, percentText } from '../table/format';
import { asked, costText, missed, rateText, timeText, type ShownLoad } from './loadWords';

const wasAsked = (l: ShownLoad) => l.side.asked > 0;
const cpuOf = (l: ShownLoad) => l.side.costs?.find((c) => c.unit === 'cpu-ns/op');
const slow = (l: ShownLoad) => (l.side.response.p99 === null && l.side.failed > 0 ? 'failed' : timeText(l.side.response.p99));

/** The figures to look at first: of two loads, from the base to the head. */
export function Tiles({ loads }: { loads: readonly ShownLoad[] }) {
  const each = (text: (l: ShownLoad) => string) => loads.map(text).join(' → ');
  const cpu = each((l) => costText('cpu-ns/op', cpuOf(l)?.value));
  const failed = loads.some((l) => l.side.failed > 0);
  const tiles: [string, string, string][] = [
    ['Throughput', each((l) => rateText(l.side.rate)), loads.some(wasAsked) ? `of ${each((l) => rateText(l.side.asked))}` : ''],
    ['p50', each((l) => timeText(l.side.response.p50)), 'half were faster'],
    ['p99', each(slow), '1 in 100 was slower'],
    ['Slowest', each((l) => timeText(l.side.response.max)), ''],
    ['Failed', each((l) => count(l.side.failed)), failed ? each((l) => percentText((100 * l.side.failed) / Math.max(1, asked(l)))) : ''],
    ...(loads.some(cpuOf) ? [['CPU time', cpu, 'per request'] as [string, string, string]] : []),
  ];
  return (
    <dl class="load-tiles" aria-label="Summary">
      {tiles.map(([name, value, more]) => (
        <div key={name} class={(name === 'Failed' && failed) || missed(loads, name) ? 'load-bad' : ''}>
          <dt>{name}</dt><dd><b>{value}</b>{more && <span class="soft">{more}</span>}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Leads to the sections below. */
export function Contents({ failed }: { failed: boolean }) {
  const titles = ['Throughput', 'Response times', 'Quantiles', ...(failed ? ['Failures'] : []), COST, PROFILES];
  const show = (e: MouseEvent, title: string) => {
    const all = (e.currentTarget as HTMLElement).closest('.load')?.querySelectorAll<HTMLElement>('.load-section') ?? [];
    const section = [...all].find((el) => el.getAttribute('aria-label') === title);
    section?.scrollIntoView({ block: 'start' });
    section?.focus({ preventScroll: true });
  };
  return (
    <nav class="load-contents" aria-label="Sections">
      {titles.map((title) => (
        <button key={title} type="button" class="link-button" onClick={(e) => show(e, title)}>{SHORT[title] ?? title}</button>
      ))}
    </nav>
  );
}

const COST = 'A request costs';
const PROFILES = 'Profiled under the same load';
const SHORT: Record<string, string> = { [COST]: 'Cost', [PROFILES]: 'Profiles' };
