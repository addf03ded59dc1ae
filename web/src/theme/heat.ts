// Colours of heat maps: from pale to deep on light ground, from dim to bright on dark
// ground, so that more is always easier to see. One hue, because it is an amount.

const STOPS = {
  light: ['#f3e3cf', '#f0b888', '#dd7f36', '#a4460f', '#531603'],
  dark: ['#3a2a1f', '#6d3a17', '#b3611f', '#f0a066', '#fff0d8'],
};

const STEPS = 64;

const channels = (color: string) => [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));

function mixed(a: string, b: string, share: number): string {
  const [from, to] = [channels(a), channels(b)];
  return `rgb(${from.map((c, i) => Math.round(c + (to[i]! - c) * share)).join(' ')})`;
}

const made = new Map<boolean, readonly string[]>();

/** From the least to the most. */
export function heatColors(dark: boolean): readonly string[] {
  let colors = made.get(dark);
  if (!colors) {
    const stops = dark ? STOPS.dark : STOPS.light;
    colors = Array.from({ length: STEPS }, (_, i) => {
      const at = (i / (STEPS - 1)) * (stops.length - 1);
      const low = Math.min(Math.floor(at), stops.length - 2);
      return mixed(stops[low]!, stops[low + 1]!, at - low);
    });
    made.set(dark, colors);
  }
  return colors;
}

/** The colour of a share from 0 to 1. */
export function heatColor(colors: readonly string[], share: number): string {
  return colors[Math.min(colors.length - 1, Math.max(0, Math.round(share * (colors.length - 1))))]!;
}
