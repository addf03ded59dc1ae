import { beforeAll, describe, expect, it, vi } from 'vitest';
import type * as OptionsModule from './options';
import type * as WordsModule from './words';
import { either, exactly, exactName } from './pattern';

let m: typeof OptionsModule;
let w: typeof WordsModule;
let names: readonly string[];
beforeAll(async () => {
  vi.stubGlobal('location', { pathname: '/', search: '' });
  vi.stubGlobal('addEventListener', () => {});
  m = await import('./options');
  w = await import('./words');
  names = (await import('./state')).OPTIONS;
});

describe('chips', () => {
  const cases: [string, Record<string, string>, [string, string][]][] = [
    ['none for defaults', {}, []],
    ['none for an empty value', { focus: '' }, []],
    ['a pattern as it is', { focus: 'json|xml' }, [['focus', 'json|xml']]],
    ['a name for an exact pattern', { focus: exactly('main.(*T).Run[...]') }, [['focus', 'main.(*T).Run[...]']]],
    ['names for several', { hide: either(exactly('a.b'), exactly('c|d')) }, [['hide', 'a.b, c|d']]],
    ['a pattern that only looks exact', { focus: '^a.b$' }, [['focus', '^a.b$']]],
    ['no chip for what a button shows', { mine: 'true' }, []],
    ['but for a pattern of it', { mine: '^shop/' }, [['mine', '^shop/']]],
    ['a flag by its title alone', { noinlines: 'true' }, [['noinlines', '']]],
    ['a flag that is on by default when it is off', { trim: 'false' }, [['trim', '']]],
    ['a flag set to something else with its value', { noinlines: 'false' }, [['noinlines', 'false']]],
    ['a choice by its title', { granularity: 'filefunctions', sort: 'cum' }, [['granularity', 'Function and file'], ['sort', 'Total']]],
    ['not what has a control of its own', { sample_index: 'cpu', normalize: 'true' }, []],
    ['the order of the menu', { nodecount: '5', focus: 'x' }, [['focus', 'x'], ['nodecount', '5']]],
  ];
  it.each(cases)('%s', (_, options, want) => {
    expect(m.chipsOf(options).map((c) => [c.name, c.text])).toEqual(want);
  });
});

describe('historyOptions', () => {
  const base = ['before'];
  it('has your code where the button says so', () => {
    expect(m.historyOptions({ base, options: { sort: 'cum', focus: 'x' } }, true)).toEqual({ focus: 'x', mine: 'true' });
    expect(m.historyOptions({ base, options: {} }, false)).toEqual({});
    expect(m.historyOptions({ base, options: { mine: 'false' } }, true)).toEqual({});
    expect(m.historyOptions({ base: [], options: { mine: '^shop/' } }, true)).toEqual({ mine: '^shop/' });
    expect(m.historyOptions({ base: [], options: {} }, true)).toEqual({});
  });
});

describe('options', () => {
  it('all have a title and words', () => {
    const own = ['sample_index', 'normalize', 'base_total'];
    expect(m.optionSpecs.map((s) => s.name).toSorted()).toEqual(names.filter((n) => !own.includes(n)).toSorted());
    for (const spec of m.optionSpecs) expect(w.words[spec.name]?.about, spec.name).toBeTruthy();
    for (const c of m.optionSpecs.flatMap((s) => w.words[s.name]?.choices ?? [])) expect(m.choiceTitles[c.value], c.value).toBeTruthy();
    for (const spec of m.optionSpecs) expect(w.words[spec.name]?.choices !== undefined, spec.name).toBe(spec.kind === 'choice');
  });

  it('come back from a saved view, without its profiles', () => {
    const options = { focus: 'a&b=c', nodecount: '5' };
    expect(m.optionsIn(m.optionsQuery(options))).toEqual(options);
    expect(m.optionsIn('profile=x&view=top&focus=a')).toEqual({ focus: 'a' });
  });
});

describe('sampleTypeIndex', () => {
  const info = { sampleTypes: [{ type: 'samples', unit: 'count' }, { type: 'cpu', unit: 'nanoseconds' }], defaultSampleType: 1 };
  it.each([
    [undefined, 1],
    ['', 1],
    ['samples', 0],
    ['cpu', 1],
    ['0', 0],
    ['2', -1],
    ['inuse_space', -1],
  ])('%s is %d', (option, want) => {
    expect(m.sampleTypeIndex(info, option)).toBe(want);
  });
});

describe('patterns', () => {
  it.each(['runtime.mallocgc', 'main.(*T).Run', 'slices.pdq[go.shape.int]', 'a^b$c|d\\e', 'æ {x}'])('%s survives', (name) => {
    expect(exactName(exactly(name))).toBe(name);
    expect(new RegExp(exactly(name)).test(name)).toBe(true);
    expect(new RegExp(exactly(name)).test(`${name}x`)).toBe(false);
  });
  it('adds an alternative once', () => {
    const both = either(exactly('a'), exactly('b|c'));
    expect(either(both, exactly('b|c'))).toBe(both);
    expect(either('', 'a')).toBe('a');
  });
});
