import { useEffect } from 'preact/hooks';
import { report } from '../../api/client';
import type { Top } from '../../api/types';
import { lazily } from '../../state/lazily';
import { shareText } from '../table/format';
import { selects, splitName } from '../table/names';

interface Hottest {
  name: string;
  percent: number;
}

/** What takes most of single profiles, by their ids and types. A profile never changes, so it is asked for once. */
const hottest = lazily<Hottest | null>(async (key, signal) => {
  const [profile, type] = key.split('\n') as [string, string];
  const query = new URLSearchParams({ profile, sample_index: type, granularity: 'functions', sort: 'flat', limit: '1' });
  const [row] = (await report<Top>('top', query, signal)).report.rows;
  return row ? { name: selects(row), percent: row.flat.percent } : null;
}, 2);

/** The costliest function of a profile, which is asked for when its row comes into view. */
export function TopFunction({ profile, type }: { profile: string; type: string }) {
  const key = `${profile}\n${type}`;
  useEffect(() => hottest.want(key, 0), [key]);
  const { value, error } = hottest.of(key).value;
  if (error !== undefined) return <span class="soft" title={error}>unknown</span>;
  if (value === undefined) return <span class="soft">…</span>;
  if (value === null) return <span class="soft">no samples</span>;
  return (
    <>
      <span class="soft num records-share">{shareText(value.percent)}</span>
      <span class="cut mono" title={value.name}>{short(value.name)}</span>
    </>
  );
}

/** A function's name without the folders of its package. */
const short = (name: string) => splitName(name).path.replace(/.*\//, '') + splitName(name).name;
