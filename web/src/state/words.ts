// What the report options mean, in plain words. The server's own are those of
// `hone help pprof`.

import type { Option } from './state';

export interface OptionWords {
  /** One line: what it does. */
  about: string;
  /** More about the value. */
  detail?: string;
  choices?: readonly { value: string; about: string }[];
  placeholder?: string;
}

const FRAMES = 'A regular expression, found anywhere in the name of the function, its source file or its binary.';
const FILTER = 'Text: a regular expression on key:value, or for one key handler=GET.*. Numbers: 1kb:64kb, 4mb:, or for one key bytes=4mb:.';

/** By the name of the option. */
export const words: Partial<Record<Option, OptionWords>> = {
  focus: { about: 'Only samples with a frame that matches', detail: FRAMES, placeholder: 'json\\.' },
  ignore: { about: 'No samples with a frame that matches', detail: `${FRAMES} Stronger than focus.`, placeholder: 'runtime\\.gc' },
  hide: { about: 'Take out the frames that match, keep their samples', detail: FRAMES, placeholder: 'reflect\\.' },
  show: { about: 'Take out the frames that do not match', detail: FRAMES, placeholder: 'github.com/you/' },
  show_from: {
    about: 'Start stacks at the outermost frame that matches', detail: `What called it is cut off; samples without a match go. ${FRAMES}`,
    placeholder: 'ServeHTTP',
  },
  prune_from: { about: 'Cut stacks at a frame that matches, it and all it calls', detail: FRAMES, placeholder: 'runtime\\.mallocgc' },
  mine: {
    about: 'Fold what is not yours into the caller of yours that leads to it',
    detail: 'Yours is the module of package main; or else the functions whose name, with its package, the regular expression matches.',
    placeholder: 'the module of package main',
  },
  noinlines: { about: 'Count inlined functions as part of their caller' },
  tagfocus: { about: 'Only samples with a label in range or that matches', detail: FILTER, placeholder: 'handler=GET' },
  tagignore: { about: 'No samples with a label in range or that matches', detail: FILTER, placeholder: 'handler=healthz' },
  tagshow: { about: 'Only labels whose key matches', detail: 'A regular expression on keys.' },
  taghide: { about: 'No labels whose key matches', detail: 'A regular expression on keys.' },
  tagroot: { about: 'Label keys that become frames at the root', detail: 'With commas; the first key ends up outermost.' },
  tagleaf: { about: 'Label keys that become frames at the leaf', detail: 'With commas; the last key ends up innermost.' },
  granularity: {
    about: 'What counts as one entry',
    choices: [
      { value: 'functions', about: 'A function, wherever it is defined' },
      { value: 'filefunctions', about: 'A function of one file' },
      { value: 'files', about: 'A source file' },
      { value: 'lines', about: 'A source line' },
      { value: 'addresses', about: 'An instruction address' },
    ],
  },
  showcolumns: { about: 'Tell columns of a source line apart' },
  nodecount: { about: 'Most entries to show', detail: '0 shows all; -1 leaves it to the report.', placeholder: '80' },
  nodefraction: { about: 'Drop entries below this share of the total', detail: '0.005 is half a percent.', placeholder: '0.005' },
  edgefraction: { about: 'Drop calls below this share of the total', detail: '0.001 is a tenth of a percent.', placeholder: '0.001' },
  trim: { about: 'Show everything, whatever node count and fractions say' },
  sort: {
    about: 'Order of the entries',
    choices: [
      { value: 'flat', about: 'By the function alone' },
      { value: 'cum', about: 'By the function and all it calls' },
    ],
  },
  call_tree: { about: 'Keep a function apart by the path that led to it' },
  unit: {
    about: 'Unit of the values shown', detail: 'Such as ns, ms, s for time, B, kB, MB for memory. auto chooses one for each value.',
    placeholder: 'ms',
  },
  mean: { about: 'Divide values by the first sample type, the count' },
  divide_by: { about: 'Divide all values by this number', detail: 'For instance by the number of requests served.', placeholder: '1000' },
  relative_percentages: { about: 'Percentages of what the filters left' },
  drop_negative: { about: 'Leave out what is below zero in a difference' },
  intel_syntax: { about: "Assembly in Intel's notation" },
};
