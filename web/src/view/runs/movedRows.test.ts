import { expect, test } from 'vitest';
import type { Moved } from '../../api/runs';
import { yoursOf } from './movedRows';

const row = (name: string, base: number, head: number, more: Partial<Moved> = {}): Moved => ({
  name, baseOwn: 0, headOwn: 0, baseCum: base, headCum: head, yours: true,
  cumChange: { value: head - base, lo: head - base - 1, hi: head - base + 1 }, ...more,
});

test('what moved a benchmark begins with your functions, the nearest to the cause first', () => {
  const functions = [
    row('runtime.asyncPreempt', 9, 1, { yours: false }), row('words.split', 20, 12), row('words.quiet', 5, 5.5),
  ];
  const callers = [row('words.All', 60, 32), row('words.Count', 40, 12), row('regexp.doExecute', 30, 3, { yours: false })];
  expect(yoursOf({ functions, callers }).map((f) => f.name)).toEqual(['words.Count', 'words.All', 'words.split']);
});
