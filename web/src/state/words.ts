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
const FILTER = 'Text: a regular expression for key:value, or handler=GET.* for one key. '
  + 'Numbers: a range such as 1kb:64kb or 4mb:, or bytes=4mb: for one key.';

/** By the name of the option. */
export const words: Partial<Record<Option, OptionWords>> = {
  focus: { about: 'Only samples with a matching frame', detail: FRAMES, placeholder: 'json\\.' },
  ignore: { about: 'Without samples that have a matching frame', detail: `${FRAMES} It overrides focus.`, placeholder: 'runtime\\.gc' },
  hide: { about: 'Hide matching frames, keep their samples', detail: FRAMES, placeholder: 'reflect\\.' },
  show: { about: 'Hide all other frames', detail: FRAMES, placeholder: 'github.com/you/' },
  show_from: {
    about: 'Start stacks at the outermost matching frame', detail: `Callers are cut off; samples without a match are dropped. ${FRAMES}`,
    placeholder: 'ServeHTTP',
  },
  prune_from: { about: 'Cut off matching frames and their callees', detail: FRAMES, placeholder: 'runtime\\.mallocgc' },
  mine: {
    about: 'Add the cost of libraries and the runtime to your functions that call them',
    detail: 'Your code is the module of package main, or the functions whose names (with package) match the regular expression.',
    placeholder: 'the module of package main',
  },
  noinlines: { about: 'Count inlined functions as part of their caller' },
  tagfocus: { about: 'Only samples with a matching label', detail: FILTER, placeholder: 'handler=GET' },
  tagignore: { about: 'Without samples that have a matching label', detail: FILTER, placeholder: 'handler=healthz' },
  tagshow: { about: 'Only labels whose key matches', detail: 'A regular expression on keys.' },
  taghide: { about: 'Without labels whose key matches', detail: 'A regular expression on keys.' },
  tagroot: { about: 'Label keys that become frames at the root', detail: 'Separated by commas; the first key is outermost.' },
  tagleaf: { about: 'Label keys that become frames at the leaf', detail: 'Separated by commas; the last key is innermost.' },
  granularity: {
    about: 'What makes one entry',
    choices: [
      { value: 'functions', about: 'A function, wherever it is defined' },
      { value: 'filefunctions', about: 'A function of one file' },
      { value: 'files', about: 'A source file' },
      { value: 'lines', about: 'A source line' },
      { value: 'addresses', about: 'An instruction address' },
    ],
  },
  showcolumns: { about: 'Distinguish columns of a source line' },
  nodecount: { about: 'Not more entries than this', detail: '0 shows all; -1 is the report’s default.', placeholder: '80' },
  nodefraction: { about: 'Drop entries below this share of the total', detail: '0.005 is half a percent.', placeholder: '0.005' },
  edgefraction: { about: 'Drop calls below this share of the total', detail: '0.001 is a tenth of a percent.', placeholder: '0.001' },
  trim: { about: 'Show everything, whatever the number and the shares' },
  sort: {
    about: 'Order of the entries',
    choices: [
      { value: 'flat', about: 'The largest in itself first' },
      { value: 'cum', about: 'The largest with what it calls first' },
    ],
  },
  call_tree: { about: 'One node per call path instead of one per function' },
  unit: {
    about: 'Unit of the values shown', detail: 'Such as ns, ms, s for time, B, kB, MB for memory. auto chooses one for each value.',
    placeholder: 'ms',
  },
  mean: { about: 'Divide values by the first sample type, the count' },
  divide_by: { about: 'Divide all values by this number', detail: 'For example, the number of requests.', placeholder: '1000' },
  relative_percentages: { about: 'Percentages of the filtered total' },
  drop_negative: { about: 'Leave out what became less' },
  intel_syntax: { about: "Assembly in Intel's notation" },
};
