// What the text of charts takes, in px where the root's text has 16 px: that grows on
// large screens, and a chart is drawn in px.

const AT_16 = {
  /** Above the plot, for names of flags, below it, and for a second line there. */
  TOP: 14, FLAGS: 22, FOOT: 26, LINE: 15,
  /** A character of the small print, and a time along the axis. */
  CHAR: 6.6, TICK: 84,
};

export type Sizes = typeof AT_16;

export function sizes(): Sizes {
  const scale = (parseFloat(getComputedStyle(document.documentElement).fontSize) || 16) / 16;
  return Object.fromEntries(Object.entries(AT_16).map(([name, px]) => [name, px * scale])) as Sizes;
}
