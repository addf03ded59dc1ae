import { describe, expect, test } from 'vitest';
import { changeText, percentText, shareText } from './format';
import { nameParts, shorten, shortenParts, splitName, wrapPieces } from './names';
import { orderText, parseOrder, sorted } from './order';
import { contentHeight, MAX_HEIGHT, nextRow, scrollTo, visibleRows } from './range';
import { extend, untrimmed } from './query';
import { tsv } from './tsv';

test('shares read as in text reports', () => {
  const cases: [number, string][] = [
    [0, '0%'], [100, '100%'], [99.96, '100%'], [99.9, '99.90%'], [12.345, '12.35%'], [1, '1.00%'],
    [0.999, '1%'], [0.5, '0.5%'], [0.123, '0.12%'], [0.00012, '0.00012%'], [0.000012, '1.2e-05%'],
    [-12.3, '-12.30%'], [-0.05, '-0.05%'], [250, '250.00%'],
  ];
  for (const [percent, text] of cases) expect(percentText(percent)).toBe(text);
});

test('shares of a column have as many digits behind the point', () => {
  const cases: [number, string][] = [
    [0, '0%'], [100, '100.00%'], [99.996, '100.00%'], [12.345, '12.35%'], [0.046, '0.05%'], [0.004, '<0.01%'], [-0.5, '-0.50%'],
    [-0.001, '>-0.01%'],
  ];
  for (const [percent, text] of cases) expect(shareText(percent)).toBe(text);
});

test('changes have signs', () => {
  expect(changeText(0.123)).toBe('+12.3%');
  expect(changeText(-1)).toBe('-100.0%');
  expect(changeText(0)).toBe('0.0%');
  expect(changeText(25)).toBe('+2\u202f500%');
  expect([changeText(0.0001), changeText(-0.0004)]).toEqual(['<+0.1%', '>-0.1%']);
  expect(changeText(undefined)).toBe('');
});

describe('names', () => {
  test('split behind the package', () => {
    const cases: [string, string, string][] = [
      ['runtime.mallocgc', 'runtime.', 'mallocgc'],
      ['encoding/json.(*Decoder).Decode', 'encoding/json.', '(*Decoder).Decode'],
      ['github.com/a/b.F.func1', 'github.com/a/b.', 'F.func1'],
      ['slices.SortFunc[go.shape.[]int,github.com/a/b.T]', 'slices.', 'SortFunc[go.shape.[]int,github.com/a/b.T]'],
      ['gopkg.in/yaml%2ev3.Unmarshal', 'gopkg.in/yaml%2ev3.', 'Unmarshal'],
      ['memcpy', '', 'memcpy'],
      ['std::vector<int>::push_back', '', 'std::vector<int>::push_back'],
      ['/usr/lib/go/src/sort/sort.go', '/usr/lib/go/src/sort/', 'sort.go'],
      ['', '', ''],
    ];
    expect(splitName('a/b.F via net/http.(*Client).Do')).toEqual({ path: 'a/b.', name: 'F via net/http.(*Client).Do' });
    expect(splitName('library: gopkg.in/yaml.v3')).toEqual({ path: '', name: 'library: gopkg.in/yaml.v3' });
    for (const [text, path, name] of cases) expect(splitName(text)).toEqual({ path, name });
  });

  test('with address and place', () => {
    expect(nameParts({ name: '0000004a a/b.F /src/b.go:12', function: 'a/b.F' })).toEqual({
      before: '0000004a ', path: 'a/b.', name: 'F', after: ' /src/b.go:12',
    });
  });

  test('shortened in the middle', () => {
    expect(shorten('abcdefghij', 10)).toBe('abcdefghij');
    expect(shorten('abcdefghij', 7)).toBe('ab…ghij');
    expect(shorten('abcdefghij', 1)).toBe('…');
    const cut = shortenParts(nameParts({ name: 'github.com/some/where/pkg.(*Type).Method' }), 24);
    expect(cut.name).toBe('(*Type).Method');
    expect(cut.path).toBe('pkg.');
    expect(shortenParts(nameParts({ name: 'regexp.(*Regexp).doExecute' }), 22)).toMatchObject({ path: '', name: '(*Regexp).doExecute' });
    const line = shortenParts(
      nameParts({ name: 'main.addLine github.com/hone-go/hone/examples/index.go:31', function: 'main.addLine' }), 32,
    );
    expect(line).toEqual({ before: '', path: 'main.', name: 'addLine', after: ' …amples/index.go:31' });
    const long = shortenParts(nameParts({ name: 'pkg.AVeryLongFunctionNameIndeed' }), 20);
    expect((long.path + long.name).length).toBe(20);
    expect(long.name.endsWith('NameIndeed')).toBe(true);
  });
});

describe('rows in view', () => {
  test('of a short list', () => {
    expect(visibleRows(0, 200, 5, 20)).toEqual({ first: 0, end: 5, top: 0 });
    expect(visibleRows(0, 200, 0, 20)).toEqual({ first: 0, end: 0, top: 0 });
  });
  test('in the middle', () => {
    const range = visibleRows(2010, 200, 1000, 20);
    expect(range).toEqual({ first: 94, end: 117, top: 1880 });
  });
  test('at the end of a list too tall to scroll', () => {
    const rows = 3_000_000;
    expect(contentHeight(rows, 20)).toBe(MAX_HEIGHT);
    const range = visibleRows(MAX_HEIGHT - 500, 500, rows, 20);
    expect(range.end).toBe(rows);
    expect(range.first).toBe(rows - 25 - 6);
    expect(visibleRows(0, 500, rows, 20).first).toBe(0);
  });
  test('scrolling to a row shows it', () => {
    for (const rows of [1000, 3_000_000]) {
      for (const row of [0, 1, 500, rows - 1]) {
        const top = scrollTo(row, 12_000, 500, rows, 20) ?? 12_000;
        const { first, end } = visibleRows(top, 500, rows, 20);
        expect(first).toBeLessThanOrEqual(row);
        expect(end).toBeGreaterThan(row);
      }
    }
    expect(scrollTo(5, 0, 500, 1000, 20)).toBeNull();
  });
});

test('order', () => {
  expect(parseOrder('')).toBeNull();
  expect(parseOrder('-cum')).toEqual({ column: 'cum', descending: true });
  expect(orderText({ column: 'name', descending: false })).toBe('name');
  const rows = [{ n: 'b', v: 1 }, { n: 'a', v: 3 }, { n: 'c', v: 1 }];
  expect(sorted(rows, (r) => r.v, true).map((r) => r.n)).toEqual(['a', 'b', 'c']);
  expect(sorted(rows, (r) => r.v, false).map((r) => r.n)).toEqual(['b', 'c', 'a']);
  expect(sorted(rows, (r) => r.n, false).map((r) => r.n)).toEqual(['a', 'b', 'c']);
});

test('tsv', () => {
  expect(tsv([['a', 'b'], ['c\td', 'e\nf']])).toBe('a\tb\nc d\te f');
});

test('queries ask for all rows unless the user wants fewer', () => {
  const all = new URLSearchParams('profile=x');
  expect(untrimmed(all, {}).toString()).toBe('profile=x&nodecount=0&trim=false');
  expect(untrimmed(all, { nodefraction: '0.1' }).toString()).toBe('profile=x&nodecount=0');
  expect(untrimmed(all, { nodecount: '5' }).toString()).toBe('profile=x&nodecount=5');
  expect(extend(all, { find: '', order: undefined, limit: '1' }).toString()).toBe('profile=x&limit=1');
  expect(all.toString()).toBe('profile=x');
});

test('the next match is around the end', () => {
  const hit = (i: number) => i === 1 || i === 4;
  expect(nextRow(-1, 1, 6, hit)).toBe(1);
  expect(nextRow(1, 1, 6, hit)).toBe(4);
  expect(nextRow(4, 1, 6, hit)).toBe(1);
  expect(nextRow(1, -1, 6, hit)).toBe(4);
  expect(nextRow(0, 1, 6, () => false)).toBe(-1);
  expect(nextRow(0, 1, 0, hit)).toBe(-1);
});

test('names wrap between their words', () => {
  const cases: [string, string[]][] = [
    ['(*Regexp).FindAllString', ['(*Regexp).', 'Find', 'All', 'String']],
    ['mapaccess1_faststr', ['mapaccess1_', 'faststr']],
    ['example.com/my-app/', ['example.', 'com/', 'my-', 'app/']],
    ['HTTPServer', ['HTTPServer']],
    ['main', ['main']],
    ['', ['']],
  ];
  for (const [name, pieces] of cases) expect(wrapPieces(name)).toEqual(pieces);
});
