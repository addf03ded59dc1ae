import { expect, test } from 'vitest';
import { begun, mineAsked, mineShown, turned } from './mine';

const of = (base: string[], mine?: string) => ({ base, options: mine === undefined ? { focus: 'f' } : { focus: 'f', mine } });

test('a comparison shows your code unless its link says otherwise', () => {
  expect(mineAsked(of([]))).toBe('');
  expect(mineAsked(of(['a']))).toBe('auto');
  expect(mineAsked(of(['a'], 'false'))).toBe('');
  expect(mineAsked(of([], 'false'))).toBe('');
  expect(mineAsked(of(['a'], '^main'))).toBe('^main');
  expect(mineShown(of(['a']), true)).toBe(true);
  expect(mineShown(of(['a']), false)).toBe(false);
});

test('the switch turns to the other of both, and back', () => {
  for (const [s, foldable] of [[of([]), true], [of(['a']), true], [of(['a']), false]] as const) {
    const once = { ...s, options: turned(s, foldable) };
    expect(mineShown(once, foldable)).toBe(!mineShown(s, foldable));
    const twice = { ...s, options: turned(once, foldable) };
    expect(mineShown(twice, foldable)).toBe(mineShown(s, foldable));
  }
  expect(turned(of(['a']), true)).toEqual({ focus: 'f', mine: 'false' });
  expect(turned(of(['a'], '^main'), true)).toEqual({ focus: 'f', mine: 'false' });
});

test('a comparison that begins keeps what was chosen before it', () => {
  expect(begun({ mine: 'true' })).toEqual({ mine: 'true' });
  expect(begun({})).toEqual({}); // nothing is kept without a browser
});
