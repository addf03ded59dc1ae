import { expect, test } from 'vitest';
import type { RawSection } from '../../api/types';
import { lineAt, partsOf, rawFind, recordOf, rowOf, rowsIn, runsOf, sectionAt, towards, type Part } from './text';

const linked = (parts: Part[]) => parts.filter((p) => p.to).map((p) => `${p.to} ${p.text}`);

test('parts are the line, and name what it refers to', () => {
  const cases: [string, RawSection['name'], string[]][] = [
    ['          1   10000000: 1 20 3 ', 'samples', ['location 1', 'location 20', 'location 3']],
    ['                endpoint:[/a 1 2] worker:[2]', 'samples', []],
    [' -1 5: ', 'samples', []],
    [
      '     1: 0x47ac30 M=1 runtime.mallocgc runtime/malloc.go:1096:0 s=1067', 'locations',
      ['users 1', 'mapping M=1', 'function runtime.mallocgc'],
    ],
    ['             main.addLine example.com/index.go:31:0 s=24', 'locations', ['function main.addLine']],
    ['     4: 0x1 M=2 [F] ', 'locations', ['users 4', 'mapping M=2']],
    ['     5: 0x0 std::vector<int, x>::at a.cc:1:0 s=0', 'locations', ['users 5', 'function std::vector<int, x>::at']],
    ['     6: 0x0 [F] f a.go:1:0 s=0', 'locations', ['users 6', 'function f']],
    ['1: 0x400000/0x4f1000/0x0 wordindex [FN]', 'mappings', ['users 1']],
  ];
  for (const [line, section, want] of cases) {
    const parts = partsOf(line, section);
    expect(parts.map((p) => p.text).join('')).toBe(line);
    expect(linked(parts)).toEqual(want);
  }
});

const sections: RawSection[] = [
  { name: 'samples', line: 3, records: 2 }, { name: 'locations', line: 6, records: 3 }, { name: 'mappings', line: 11, records: 1 },
];

test('a record is found by its id, other text as a pattern', () => {
  expect(rawFind(recordOf('locations', '12'))).toBe('location 12');
  expect(rawFind(recordOf('mappings', '1'))).toBe('mapping 1');
  expect(rawFind('location')).toBe('(?i)location');
  expect(rawFind('')).toBe('');
});

test('sections begin behind their titles', () => {
  const names = Array.from({ length: 12 }, (_, i) => sectionAt(sections, i)?.name);
  expect(names).toEqual([
    undefined, undefined, undefined, 'samples', 'samples', undefined,
    'locations', 'locations', 'locations', 'locations', undefined, 'mappings',
  ]);
});

test('what is put away has no rows', () => {
  for (const folded of [[], ['samples'], ['locations', 'mappings'], ['samples', 'locations', 'mappings']]) {
    const runs = runsOf(sections, 12, folded);
    const lines = Array.from({ length: rowsIn(runs) }, (_, row) => lineAt(runs, row));
    const want = Array.from({ length: 12 }, (_, i) => i).filter((i) => !folded.includes(sectionAt(sections, i)?.name ?? ''));
    expect(lines).toEqual(want);
    expect(lines.map((line) => rowOf(runs, line))).toEqual(lines.map((_, row) => row));
  }
});

test('a location is found in few steps', () => {
  // Locations with 1 to 3 lines.
  const inlined = (n: number) => Array<string>(n).fill('   g a.go:1:0 s=1');
  const lines = Array.from({ length: 500 }, (_, i) => [`  ${i + 1}: 0x1 f a.go:1:0 s=1`, ...inlined(i % 3)]).flat();
  for (const id of [1, 2, 250, 500]) {
    let at: number | null = id - 1;
    let found = at;
    let steps = 0;
    for (; at !== null; at = towards(id, lines[at]!, at, false)) [found, steps] = [at, steps + 1];
    expect(lines[found]).toMatch(new RegExp(`^ +${id}: `));
    expect(steps).toBeLessThan(40);
  }
});
