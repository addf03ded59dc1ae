import { describe, expect, test } from 'vitest';
import { CHANGE_STEPS } from '../model/change';
import {
  ABOVE, changeFill, FADED, FILLS, frameTheme, heatFill, originFill, packageFill, parseHex, PLAIN, separateHues, TONES,
} from './frames';

function luminance(color: string): number {
  const [r, g, b] = parseHex(color).map((x) => {
    const c = x / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

describe.each([['light', false], ['dark', true]] as const)('the %s theme', (_, dark) => {
  const theme = frameTheme(dark);

  test('has a colour for every index and tone', () => {
    expect(theme.fills).toHaveLength(TONES);
    for (const fills of theme.fills) expect(fills).toHaveLength(FILLS);
  });

  test.each([['plain', PLAIN], ['above', ABOVE], ['faded', FADED]] as const)('labels can be read: %s', (_name, tone) => {
    for (const fill of theme.fills[tone]!) expect(contrast(fill, theme.text[tone]!), fill).toBeGreaterThanOrEqual(4.5);
  });

  test('marks and rings stand out', () => {
    for (const line of [theme.match, theme.focus]) expect(contrast(line, theme.background)).toBeGreaterThanOrEqual(3);
  });

  test('the ring of the selected function stands out from every frame', () => {
    for (const fill of theme.fills[PLAIN]!) expect(contrast(fill, theme.selected), fill).toBeGreaterThanOrEqual(3);
  });

  test('more is red and less is blue, evenly', () => {
    const [r, , b] = parseHex(theme.fills[PLAIN]![changeFill(CHANGE_STEPS)]!) as [number, number, number];
    expect(r).toBeGreaterThan(b);
    const [lr, , lb] = parseHex(theme.fills[PLAIN]![changeFill(-CHANGE_STEPS)]!) as [number, number, number];
    expect(lb).toBeGreaterThan(lr);
  });
});

test('indexes stay in their ranges', () => {
  for (const fill of [
    packageFill('', 0), packageFill('net/http', 3), originFill(4), originFill(9), heatFill(-1), heatFill(2), changeFill(-10),
    changeFill(10),
  ]) {
    expect(fill).toBeGreaterThan(1);
    expect(fill).toBeLessThan(FILLS);
  }
  expect(changeFill(CHANGE_STEPS)).toBe(FILLS - 1);
});

test('a package has the hue that the server gives it', () => {
  // By packageHue in internal/report/flame_palette.go.
  expect(packageFill('net/http', 1)).toBe(2 + 3 * 18);
  expect(packageFill('main', 1)).toBe(2 + 3 * 16);
});

describe('packages with much are told apart', () => {
  const compiler = ['ssa', 'types', 'ir', 'noder', 'gc', 'ssagen', 'typecheck', 'walk'].map((name) => (
    { name: `cmd/compile/internal/${name}`, origin: 3 }
  ));
  const hues = separateHues(compiler);

  test('by 45 degrees, of eight that have a circle of 24', () => {
    const all = [...hues.values()];
    expect(all).toHaveLength(8);
    for (const [i, a] of all.entries()) {
      for (const b of all.slice(0, i)) expect(Math.min(Math.abs(a - b), 24 - Math.abs(a - b)), `${all}`).toBeGreaterThanOrEqual(2);
    }
  });

  test('the largest has the hue that it has everywhere, and so has the runtime', () => {
    expect(packageFill(compiler[0]!.name, 3, hues)).toBe(packageFill(compiler[0]!.name, 3));
    expect(separateHues([{ name: 'runtime', origin: 4 }]).size).toBe(0);
  });

  test('the same packages have the same hues', () => expect(separateHues(compiler)).toEqual(hues));
});
