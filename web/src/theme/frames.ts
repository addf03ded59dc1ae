// Colours of frames. They are computed in OKLCH, where equal steps look equal, so
// that no package stands out by its hue alone; and so that one colour of text is
// readable on all of them.

import { CHANGE_STEPS } from '../model/change';

export type ColorBy = 'package' | 'module' | 'self' | 'change';

/** What a code is from, as the server numbers it. */
export const ORIGINS = ['unknown', 'your code', 'third party', 'standard library', 'runtime'] as const;

const HUES = 24;
export const HEAT_STEPS = 10;

// Indexes in a theme's fills. Every package has its hue in three strengths: your
// code and third parties, the standard library, the runtime.
export const ROOT_FILL = 0;
export const REST_FILL = 1;
const PACKAGE_FILL = 2;
const STRENGTHS = 3;
const ORIGIN_FILL = PACKAGE_FILL + HUES * STRENGTHS;
const HEAT_FILL = ORIGIN_FILL + ORIGINS.length;
const CHANGE_FILL = HEAT_FILL + HEAT_STEPS + 1;
export const FILLS = CHANGE_FILL + 2 * CHANGE_STEPS + 1;

/** How a box is drawn. */
export const PLAIN = 0;
/** Wider than what is shown: an ancestor of it. */
export const ABOVE = 1;
/** No match of the search. */
export const FADED = 2;
export const TONES = 3;

export interface FrameTheme {
  dark: boolean;
  /** By tone, then by index of the colour. */
  fills: readonly (readonly string[])[];
  text: readonly string[];
  background: string;
  /** A thin line inside of inlined frames. */
  inlined: string;
  /** Hairlines where there is more than can be drawn. */
  rest: string;
  /** Hatching of what only the base of a comparison has, and the bar of what is new. */
  gone: string;
  fresh: string;
  hover: string;
  focus: string;
  /** The ring of the selected function. */
  selected: string;
  match: string;
  shade: string;
}

const hues = new Map<string, number>();
const encoder = new TextEncoder();

/** By FNV-1a, as the server does it: a package has the same hue everywhere. */
function packageHue(name: string): number {
  let hue = hues.get(name);
  if (hue === undefined) {
    let h = 0x811c9dc5;
    for (const byte of encoder.encode(name)) h = Math.imul(h ^ byte, 0x01000193);
    hue = ((h ^ (h >>> 16)) >>> 0) % HUES;
    hues.set(name, hue);
  }
  return hue;
}

/** Steps between hues that are told apart at a glance: 45°. */
const APART = 3;
/** The runtime, whose packages are all grey. */
const RUNTIME = 4;

/**
 * The hues of the packages that are widest, the widest first. A package has the same hue everywhere, unless a larger one here has
 * one that looks alike: then it has the nearest that doesn't.
 */
export function separateHues(packages: readonly { name: string; origin: number }[]): ReadonlyMap<string, number> {
  const taken = new Map<string, number>();
  for (const { name, origin } of packages) {
    if (origin === RUNTIME || taken.has(name)) continue;
    const own = packageHue(name);
    const lack = (hue: number) => [...taken.values()].reduce((most, other) => Math.max(most, APART - distance(hue, other)), 0);
    const all = Array.from({ length: HUES }, (_, i) => (own + i) % HUES);
    taken.set(name, all.reduce((best, hue) => (
      lack(hue) < lack(best) || (lack(hue) === lack(best) && distance(hue, own) < distance(best, own)) ? hue : best
    )));
  }
  return taken;
}

/** Steps between two hues on their circle. */
function distance(a: number, b: number): number {
  const steps = Math.abs(a - b);
  return Math.min(steps, HUES - steps);
}

/** apart: hues of packages that would look like others; see separateHues. */
export function packageFill(name: string, origin: number, apart?: ReadonlyMap<string, number>): number {
  const strength = origin === RUNTIME ? 2 : origin === 3 ? 1 : 0;
  return PACKAGE_FILL + (apart?.get(name) ?? packageHue(name)) * STRENGTHS + strength;
}

export function originFill(origin: number): number {
  return ORIGIN_FILL + (origin < ORIGINS.length ? origin : 0);
}

/** By the square root of a share of the hottest, so that what is not the very hottest shows too. */
export function heatFill(share: number): number {
  return HEAT_FILL + Math.round(Math.sqrt(Math.min(Math.max(share, 0), 1)) * HEAT_STEPS);
}

export function changeFill(step: number): number {
  return CHANGE_FILL + CHANGE_STEPS + step;
}

const themes = new Map<boolean, FrameTheme>();

export function frameTheme(dark: boolean): FrameTheme {
  let theme = themes.get(dark);
  if (!theme) themes.set(dark, (theme = makeTheme(dark)));
  return theme;
}

function makeTheme(dark: boolean): FrameTheme {
  const pick = <T>(light: T, darker: T): T => (dark ? darker : light);
  const background = pick('#fbfaf7', '#17181b');
  const plain = [pick('#dedbd2', '#44454b'), pick('#ebe8e0', '#2a2b30')];
  // Your code stands out, the runtime stands back.
  const strengths = pick(
    [[0.85, 0.095], [0.88, 0.055], [0.905, 0.02]],
    [[0.48, 0.092], [0.435, 0.056], [0.385, 0.02]],
  );
  for (let hue = 0; hue < HUES; hue++) {
    for (const [lightness, chroma] of strengths) plain.push(oklch(lightness!, chroma!, (hue * 360) / HUES));
  }
  const origins = [[0.008, 90], [0.095, 60], [0.065, 250], [0.055, 170], [0.03, 310]] as const;
  for (const [chroma, hue] of origins) plain.push(oklch(pick(0.872, 0.44), chroma, hue));
  for (let i = 0; i <= HEAT_STEPS; i++) {
    const x = i / HEAT_STEPS;
    plain.push(oklch(pick(0.935 - 0.2 * x, 0.34 + 0.17 * x), 0.015 + 0.125 * x, 95 - 55 * x));
  }
  for (let i = -CHANGE_STEPS; i <= CHANGE_STEPS; i++) {
    const x = Math.abs(i) / CHANGE_STEPS;
    plain.push(oklch(pick(0.915 - 0.14 * x, 0.36 + 0.12 * x), i === 0 ? 0.004 : 0.03 + 0.085 * x, i < 0 ? 250 : 28));
  }
  return {
    dark,
    fills: [
      plain,
      plain.map((fill) => mix(fill, background, 0.6)),
      plain.map((fill) => mix(fill, background, 0.3)),
    ],
    text: [pick('#1d1c1a', '#f4f2ec'), pick('#504d46', '#c2c0b8'), pick('#625f57', '#a3a19a')],
    background,
    inlined: pick('rgb(29 28 26 / 0.3)', 'rgb(244 242 236 / 0.34)'),
    rest: pick('#d8d4c8', '#3d3e45'),
    gone: pick('rgb(29 28 26 / 0.26)', 'rgb(244 242 236 / 0.24)'),
    fresh: pick('#a8321c', '#ff9d85'),
    hover: pick('rgb(29 28 26 / 0.75)', 'rgb(255 255 255 / 0.75)'),
    focus: pick('#9a4a12', '#f0a066'),
    selected: pick('#7c380a', '#ffc39b'),
    match: pick('#a021bd', '#e58bff'),
    shade: pick('rgb(251 250 247 / 0.66)', 'rgb(23 24 27 / 0.66)'),
  };
}

/** Converts to sRGB; the matrices are those of Björn Ottosson, "A perceptual color space for image processing" (2020). */
function oklch(l: number, chroma: number, hue: number): string {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const lc = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const mc = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const sc = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return hex([
    4.0767416621 * lc - 3.3077115913 * mc + 0.2309699292 * sc,
    -1.2684380046 * lc + 2.6097574011 * mc - 0.3413193965 * sc,
    -0.0041960863 * lc - 0.7034186147 * mc + 1.707614701 * sc,
  ].map((x) => {
    const linear = Math.min(Math.max(x, 0), 1);
    return 255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055);
  }));
}

function mix(color: string, ground: string, share: number): string {
  const below = parseHex(ground);
  return hex(parseHex(color).map((x, i) => x * share + below[i]! * (1 - share)));
}

export function parseHex(color: string): number[] {
  return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
}

function hex(channels: readonly number[]): string {
  return `#${channels.map((x) => Math.round(x).toString(16).padStart(2, '0')).join('')}`;
}
