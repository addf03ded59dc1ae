import { describe, expect, it } from 'vitest';
import { splitFilter, valueFilter } from './tagFilter';

describe('label filters', () => {
  it('of a text match it alone, and have no commas of their own', () => {
    expect(valueFilter('route', 'GET /a,b', false)).toBe('route=^GET /a\\x2cb$');
  });
  it('of a number are that number', () => {
    expect(valueFilter('bytes', '64kB', true)).toBe('bytes=64kB');
  });
  it('are taken apart as they are typed', () => {
    expect(splitFilter('rou')).toBeUndefined();
    expect(splitFilter('route=')).toEqual({ key: 'route', value: '' });
    expect(splitFilter('route=^GET$')).toEqual({ key: 'route', value: 'GET' });
  });
});
