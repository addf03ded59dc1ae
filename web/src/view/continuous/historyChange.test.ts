import { beforeAll, expect, test, vi } from 'vitest';
import type { History } from '../../api/continuous';
import type * as StateModule from '../../state/state';
import type * as Module from './historyChange';

// The state reads the address when it is loaded.
let m: typeof Module;
let s: typeof StateModule;
beforeAll(async () => {
  vi.stubGlobal('location', { pathname: '/', search: '' });
  vi.stubGlobal('addEventListener', () => {});
  m = await import('./historyChange');
  s = await import('../../state/state');
});

const DAY = 86_400_000;
const END = 1_790_000_000_000;
const week = { from: END - 7 * DAY, to: END };
const of = (id: string) => Object.fromEntries(new URLSearchParams(id.slice(4)));
const versions = ['1', '2', '3'].map((version) => ({ version, first: 0, total: 1, profiles: 1, duration: 1, profile: '' }));
const days = Array.from({ length: 6 }, (_, i) => week.from + i * DAY);
const history = { time: days, versions } as unknown as History;
/** A history of a week, of which the last hour is selected. */
const state = () => {
  const id = `sel:${new URLSearchParams({ q: 'cpu{service="a"}', from: String(END - 3_600_000), to: String(END), per: 'second' })}`;
  return s.parse(`/history?${new URLSearchParams({ profile: id, span: `${week.from}-${week.to}` })}`);
};

test('a version is compared with the one before it, over all of the time that the history shows', () => {
  const { label, to } = m.versionChange(history, '2', state(), week, 'main.f')!;
  expect(label).toBe('Compare 2 with 1');
  expect([to.view, to.fn]).toEqual(['diff', 'main.f']);
  expect(to.options.normalize).toBe('true'); // as the history itself, whatever load the hours of each had
  expect(of(to.profile[0]!)).toMatchObject({ q: 'cpu{service="a", version="2"}', from: String(week.from), to: String(week.to) });
  expect(of(to.base[0]!)).toMatchObject({ q: 'cpu{service="a", version="1"}', from: String(week.from), to: String(week.to) });
  expect(m.versionChange(history, '1', state(), week)).toBe(undefined); // nothing before it
});

test('versions compare per request where requests are counted', () => {
  const counted = { time: days, versions: versions.map((v) => ({ ...v, counted: v.version !== '1' })) } as unknown as History;
  const { to } = m.versionChange(counted, '3', state(), week)!;
  expect([to.options.normalize, of(to.profile[0]!).per, of(to.base[0]!).per]).toEqual([undefined, 'request', 'request']);
  expect(m.versionChange(counted, '2', state(), week)!.to.options.normalize).toBe('true');
});

test('without versions the last third of the time is compared with the first', () => {
  const { to } = m.thirdsChange(history, days[4]!, state(), week, 'main.f')!;
  expect(of(to.profile[0]!)).toMatchObject({ q: 'cpu{service="a"}', from: String(days[4]), to: String(week.to) });
  expect(of(to.base[0]!)).toMatchObject({ q: 'cpu{service="a"}', from: String(days[0]), to: String(days[2]) });
  expect(m.thirdsChange(history, days[0]!, state(), week, '')).toBe(undefined);
});
