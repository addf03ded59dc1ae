// The values of hone's query API: see doc/api.md. Their Go definitions are in internal/report and
// internal/api, whose TestTypeScript compares what they encode to with the files of this folder.

/** A value with the text it is printed as and its share of the total, 0 to 100. */
export interface Quantity {
  value: number;
  text: string;
  percent: number;
}

export interface ValueType {
  type: string;
  unit: string;
}

/** An entry of the list of open profiles. */
export interface Profile {
  id: string;
  name: string;
  merged: number;
  state: 'ready' | 'waiting' | 'failed';
  /** The sources as a command line names them; absent for uploads. */
  sources?: string[];
  error?: string;
  /** The sample types of one that is loaded. */
  types?: ValueType[];
}

export interface Profiles {
  profiles: Profile[];
  start: string;
  /** Whether there are kept runs. */
  runs?: boolean;
  /** Whether there is a store to select profiles from. */
  continuous?: boolean;
  /** Whether it has the source that there is advice on. */
  advice?: boolean;
}

export interface LabelKey {
  key: string;
  numeric: boolean;
  unit?: string;
  values: number;
}

export interface ProfileInfo extends Profile {
  header: string[];
  sampleTypes: ValueType[];
  defaultSampleType: number;
  time?: string;
  duration: number;
  period: number;
  periodType: ValueType;
  comments: string[];
  docURL?: string;
  /** Of a selection: what it is the sum of. */
  selection?: { profiles: number; duration: number; last: number };
  /** It has your code and other code. */
  foldable: boolean;
  samples: number;
  functions: number;
  locations: number;
  mappings: { file: string; buildID: string }[];
  labels: LabelKey[];
}

/** The build that a profile was taken of. */
export interface Build {
  /** The import path of the program's main package. */
  package?: string;
  /** The path of its module. */
  module?: string;
  /** Of the module. */
  version?: string;
  /** The commit. */
  revision?: string;
  /** There were uncommitted changes. */
  modified?: boolean;
  /** The version of Go. */
  go?: string;
}

export interface Answer<T> {
  report: T;
  warnings: string[];
  /** Of reports that can be cut: the number of all rows. */
  rows?: number;
}

export interface About {
  header: string[];
  sampleType: string;
  unit: string;
  total: Quantity;
}

export interface Place {
  name: string;
  function?: string;
  file?: string;
  line?: number;
  column?: number;
  address?: number;
}

export interface TopRow extends Place {
  flat: Quantity;
  sum: Quantity;
  cum: Quantity;
  inline?: 'inline' | 'partial-inline';
}

export interface Top extends About {
  rows: TopRow[];
}

export interface Call extends Place {
  weight: Quantity;
  /** The part of it in the called function itself. */
  flat: Quantity;
  share: number;
  inline?: boolean;
}

export interface TreeRow extends Place {
  flat: Quantity;
  sum: Quantity;
  cum: Quantity;
  callers: Call[];
  callees: Call[];
}

export interface Tree extends About {
  rows: TreeRow[];
}

export interface SourceInst {
  address: number;
  text: string;
  place?: string;
  calls?: string[];
  flat: Quantity;
  cum: Quantity;
}

export interface SourceLine {
  line: number;
  flat: Quantity;
  cum: Quantity;
  text: string;
  instructions?: SourceInst[];
}

export interface SourceFunction {
  name: string;
  file?: string;
  /** The file that was read, where it is not the one the profile names. */
  path?: string;
  flat: Quantity;
  cum: Quantity;
  lines?: SourceLine[];
  error?: string;
  /** Where the file was looked for, if it was not found. */
  looked?: string[];
}

export interface Source extends About {
  title?: string;
  functions: SourceFunction[];
}

/** The source of functions on the two sides of a comparison. */
export interface SourceDiff {
  sampleType: string;
  unit: string;
  base: CodeRevision;
  head: CodeRevision;
  functions: FunctionDiff[];
}

/** What the code of a side is called in its repository. */
export interface CodeRevision {
  /** A commit, a tag or a version; absent if it is unknown. */
  name?: string;
  modified: boolean;
  /** The profiles of the side have several. */
  several: boolean;
}

export interface FunctionDiff {
  name: string;
  base: SourceSide;
  head: SourceSide;
  lines: LinePair[];
}

export interface SourceSide {
  file?: string;
  flat: Quantity;
  cum: Quantity;
  path?: string;
  error?: string;
  looked?: string[];
  /** That the file was read at; absent for the file as it is now. */
  commit?: string;
  /** Why it could not be read at the side's revision. */
  missed?: string;
  /** How many are shown. */
  lines: number;
  /** Its file doesn't have the function. */
  absent: boolean;
}

/** The same line of both sides, or what one has in place of the other's. */
export interface LinePair {
  base?: DiffLine;
  head?: DiffLine;
  same: boolean;
}

export interface DiffLine {
  line: number;
  flat: Quantity;
  cum: Quantity;
  text: string;
}

export interface AsmInst {
  address: number;
  text: string;
  function?: string;
  file?: string;
  line?: number;
  flat: Quantity;
  cum: Quantity;
}

export interface Disassembly extends About {
  routines: { name: string; flat: Quantity; cum: Quantity; instructions: AsmInst[] }[];
}

export interface TraceFrame extends Place {
  inline?: boolean;
}

export interface Trace {
  labels?: { key: string; values: string[] }[];
  value: Quantity;
  stack: TraceFrame[];
}

export interface Traces extends About {
  traces: Trace[];
}

export interface TagKey {
  key: string;
  total: Quantity;
  values: { value: string; sum: Quantity }[];
}

export interface Tags extends About {
  keys: TagKey[];
}

/** What the values of a label cost. */
export interface Grid extends About {
  by: string;
  labels: GridLabel[];
  /** The largest cost of all values, on whatever page. */
  most: number;
  cells: GridCell[];
}

export interface GridLabel {
  key: string;
  values: number;
  /** What samples with it cost; absent for labels of whole profiles. */
  total?: Quantity;
}

export interface GridCell {
  value: string;
  sum: Quantity;
  functions: { name: string; cost: Quantity; noise?: boolean; base?: number }[];
  /** Of a comparison, as of its functions: chance explains the change. */
  noise?: boolean;
  /** What it was before, as of its functions. */
  base?: number;
  /** Ids of its part. */
  profile: string[];
  /** How many profiles it has in the store; absent for labels of samples. */
  profiles?: number;
}

export interface Raw {
  lines: string[];
  total: number;
  /** None where names have several lines. */
  sections?: RawSection[];
}

export interface RawSection {
  name: 'samples' | 'locations' | 'mappings';
  /** Of its first record, from 0. */
  line: number;
  records: number;
}

export interface GraphNode extends Place {
  flat: Quantity;
  cum: Quantity;
  tags?: { name: string; flat: Quantity; cum: Quantity }[];
  /** Centre and size in points, y downwards. */
  x: number;
  y: number;
  width: number;
  height: number;
  /** What is written in the box, which has room for it at this size. */
  label: string[];
  fontSize: number;
}

export interface GraphEdge {
  /** Indexes in nodes. */
  caller: number;
  callee: number;
  weight: Quantity;
  residual?: boolean;
  inline?: boolean;
  /** Start, then control, control, end of each cubic Bézier, as x, y, x, y, … */
  path: number[];
  /** The arrow's point; its base is the end of path. */
  tip: [number, number];
  /** Centre of the place that is free for the weight, at 10 points, with "(inline)" below it if it is. */
  labelAt?: [number, number];
}

export interface Graph extends About {
  nodes: GraphNode[];
  edges: GraphEdge[];
  /** Of the drawing, in points. */
  width: number;
  height: number;
}

export interface DiffValue {
  base: number;
  head: number;
  delta: number;
  relative?: number;
  /** As printed. */
  baseText: string;
  headText: string;
  deltaText: string;
  /** The 95 % confidence interval of delta by chance; absent if that is unknown, or if runs were tested. */
  interval?: { low: number; high: number; text: string };
}

export interface DiffRow {
  name: string;
  file?: string;
  line?: number;
  new?: boolean;
  gone?: boolean;
  flat: DiffValue;
  cum: DiffValue;
  test?: { p: number; holm: number; significant: boolean };
  /** Which changes are no more than chance explains; absent if unknown. */
  noise?: { flat: boolean; cum: boolean };
  /** In a summary: functions that changed because they call this one, the nearest first. */
  callers?: string[];
}

/** An instance's cost, the mean of the others, and the function that made most of the difference, in that instance. */
export interface DiffOutlier {
  instance: string;
  others: number;
  baseText: string;
  headText: string;
  othersBaseText: string;
  othersHeadText: string;
  function: string;
  functionBaseText: string;
  functionHeadText: string;
}

export interface Diff {
  type: string;
  unit: string;
  granularity: string;
  sort: 'flat' | 'cum';
  normalized: boolean;
  /** The base's total as it compares: baseTotal, or what it is scaled to. */
  compared: number;
  comparedText: string;
  baseRuns: number;
  headRuns: number;
  baseTotal: number;
  headTotal: number;
  baseTotalText: string;
  headTotalText: string;
  rows: DiffRow[];
  functions: number;
  tested: number;
  /** How many instances of base and head the rows' noise is based on; absent if it is based on samples. */
  instances?: [number, number];
  /** The instance that changed unlike the others; absent if none did. */
  outlier?: DiffOutlier;
  /** What tells chance from change; absent if nothing does. */
  basis?: 'runs' | 'instances' | 'samples';
  /** Of the change of the totals; the margin is in percent of compared. Absent if nothing tells, or if they were made equal. */
  total?: { noise: boolean; margin?: Margin };
  /** How many functions changed by more than chance explains. */
  changed?: number;
  warnings: string[];
}

/** What to look at first: see doc/api.md. */
export interface Summary {
  sampleType: string;
  unit: string;
  total: Quantity;
  samples?: number;
  /** How many instances of base and head tell what is noise. */
  instances?: [number, number];
  /** Of a comparison: its diff, with the largest sure changes as rows. */
  change?: Diff;
  cores?: number;
  idle: boolean;
  lines: SummaryLine[];
  /** alone: what of it no code of yours or of a library called. */
  shares: { name: string; cost: Quantity; margin?: Margin; alone?: Quantity }[];
}

export interface SummaryLine extends Place {
  cost: Quantity;
  margin?: Margin;
  /** Of a comparison: chance explains the change. */
  noise?: boolean;
}

/** Bounds of a share, in percent. */
export interface Margin {
  low: number;
  high: number;
}

/** A window of a flame graph: see doc/api.md. */
export interface Flame {
  type: string;
  unit: string;
  event: number;
  baseEvent?: number;
  total: Quantity;
  /** Levels of the whole tree, the root's too. */
  height: number;
  inverted: boolean;
  diff: boolean;
  /** Values are rates. */
  perSecond?: boolean;
  baseTotal?: number;
  baseScale: number;
  /** Of a comparison: whose values nodes are as wide as. */
  widths?: FlameWidths;
  /** What percentages are of; of the base as it compares. */
  whole: FlameWhole;
  from: number;
  to: number;
  scale: number;
  shares: FlameShares;
  files: string[];
  packages: string[];
  frames: {
    name: string[];
    file: number[];
    line: number[];
    package: number[];
    origin: number[];
    otherFiles?: number[];
    /** Of a comparison of selections: standard errors of both sides by how instances differ, in millionths. */
    spread?: number[];
    baseSpread?: number[];
    /** Of the root: of the head, then of the base. */
    rootSpread?: number[];
  };
  nodes: {
    id: number[];
    depth: number[];
    frame: number[];
    gap: number[];
    total: number[];
    self: number[];
    hidden: number[];
    inlined: number[];
    baseTotal?: number[];
    baseSelf?: number[];
    /** Where these are not total and self: how wide, and what of it is no child's. */
    width?: number[];
    own?: number[];
  };
}

/** What both sides have in all, 0 without a base. */
export interface FlameWhole {
  head: number;
  base: number;
}

/** Whose values the frames of a comparison are as wide as. */
export type FlameWidths = 'both' | 'head' | 'base';

/** Whose code a graph is of, also of frames too narrow to be seen. */
export interface FlameShares {
  /** Those with most, with what they call. */
  packages: { name: string; origin: number; value: number }[];
  /** Own values by origin, as in frames. */
  origins: number[];
  /** The packages with the widest frames, without the runtime's. */
  wide?: { name: string; origin: number }[];
}

export interface FlameSearch {
  matched: Quantity;
  /** Of a comparison: the same of the base, as it compares. */
  base?: Quantity;
  count: number;
  nodes: { id: number; depth: number; from: number; width: number; name: string }[];
}

export interface SavedView {
  name: string;
  query: string;
  /** Who saved it. */
  by?: string;
}
