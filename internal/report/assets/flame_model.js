// The model: trees in typed arrays, their layout, search and formatting. Nothing
// here touches the page.

// readTree turns the columns of the JSON into typed arrays. Totals are sums:
// self, folded and children.
function readTree(data, raw) {
  const n = raw.children.length;
  const t = newTree(n, raw.values.map((v) => v.baseSelf.length > 0));
  t.inverted = raw.inverted;
  t.first[0] = 1;
  for (let i = 0; i < n; i++) {
    t.first[i + 1] = t.first[i] + raw.children[i];
    for (let k = t.first[i]; k < t.first[i + 1]; k++) t.parent[k] = i;
    if (i > 0) t.frame[i] = raw.frame[i - 1];
    if (raw.folded) t.folded[i] = raw.folded[i];
  }
  for (const i of raw.inlined || []) t.inlined[i] = 1;
  raw.values.forEach((v, c) => {
    const scale = data.types[c].scale, out = t.values[c];
    const fill = (to, from) => from.forEach((x, i) => { to[i] = x * scale; });
    fill(out.self, v.self);
    fill(out.rest, v.folded);
    if (out.base) {
      fill(out.base.self, v.baseSelf);
      fill(out.base.rest, v.baseFolded);
    }
  });
  sumUp(t);
  return t;
}

function newTree(n, diffs) {
  const column = () => ({self: new Float64Array(n), rest: new Float64Array(n), total: new Float64Array(n)});
  return {
    n, inverted: false, height: 0,
    first: new Uint32Array(n + 1), parent: new Uint32Array(n), depth: new Uint32Array(n),
    frame: new Int32Array(n).fill(-1), inlined: new Uint8Array(n), folded: new Uint32Array(n),
    values: diffs.map((diff) => ({...column(), base: diff ? column() : null})),
  };
}

function sumUp(t) {
  for (let i = 1; i < t.n; i++) {
    t.depth[i] = t.depth[t.parent[i]] + 1;
    t.height = Math.max(t.height, t.depth[i]);
  }
  for (const v of t.values) {
    for (const c of v.base ? [v, v.base] : [v]) {
      for (let i = t.n - 1; i >= 0; i--) {
        c.total[i] += c.self[i] + c.rest[i];
        if (i > 0) c.total[t.parent[i]] += c.total[i];
      }
    }
  }
}

// collapse returns the tree with functions that call themselves directly as one
// frame. Each of its nodes stands for one or more nodes of t, whose children it
// takes over.
function collapse(t) {
  const groups = [[0]], parent = [0], first = [1];
  for (let g = 0; g < groups.length; g++) {
    const members = groups[g], frame = t.frame[members[0]], byFrame = new Map();
    for (let m = 0; m < members.length; m++) {
      for (let k = t.first[members[m]]; k < t.first[members[m] + 1]; k++) {
        if (t.frame[k] === frame) members.push(k);
        else if (byFrame.has(t.frame[k])) byFrame.get(t.frame[k]).push(k);
        else byFrame.set(t.frame[k], [k]);
      }
    }
    for (const group of byFrame.values()) {
      groups.push(group);
      parent.push(g);
    }
    first.push(groups.length);
  }
  const out = newTree(groups.length, t.values.map((v) => v.base !== null));
  out.inverted = t.inverted;
  out.first.set(first);
  out.parent.set(parent);
  groups.forEach((members, g) => {
    out.frame[g] = t.frame[members[0]];
    out.inlined[g] = members.every((m) => t.inlined[m]) ? 1 : 0;
    for (const m of members) {
      out.folded[g] += t.folded[m];
      t.values.forEach((v, c) => {
        const o = out.values[c];
        o.self[g] += v.self[m];
        o.rest[g] += v.rest[m];
        if (v.base) {
          o.base.self[g] += v.base.self[m];
          o.base.rest[g] += v.base.rest[m];
        }
      });
    }
  });
  sumUp(out);
  return out;
}

// layout places nodes side by side: x and w are shares of the root's width.
// order holds each node's children from left to right, where first says.
function layout(t, widths, order, names) {
  const x = new Float64Array(t.n), w = new Float64Array(t.n), total = widths.total;
  const kids = new Uint32Array(t.n);
  for (let i = 0; i < t.n; i++) kids[i] = i;
  const byName = (a, b) => {
    const p = names[t.frame[a]], q = names[t.frame[b]];
    return p < q ? -1 : p > q ? 1 : a - b;
  };
  const bySize = (a, b) => total[b] - total[a] || a - b;
  w[0] = 1;
  for (let i = 0; i < t.n; i++) {
    const from = t.first[i], to = t.first[i + 1];
    if (to - from > 1) kids.subarray(from, to).sort(order === 'name' ? byName : bySize);
    let at = x[i];
    for (let k = from; k < to; k++) {
      const c = kids[k];
      x[c] = at;
      w[c] = total[0] > 0 ? total[c] / total[0] : 0;
      at += w[c];
    }
  }
  return {x, w, kids};
}

// matcher returns a test of names: a regular expression, or the text itself if
// it is none. Text without capitals ignores case.
function matcher(text) {
  if (!text) return null;
  const flags = text === text.toLowerCase() ? 'i' : '';
  let re;
  try {
    re = new RegExp(text, flags);
  } catch {
    re = new RegExp(text.replace(/[\\^$.*+?()[\]{}|\/-]/g, (c) => '\\x' + c.charCodeAt(0).toString(16).padStart(2, '0')), flags);
  }
  return (name) => re.test(name);
}

// findMatches returns the outermost matching nodes in and below root, from left
// to right, and the sum of their totals: what lies below a match counts once.
function findMatches(t, place, total, root, hits) {
  const nodes = [], todo = [root];
  let sum = 0;
  while (todo.length > 0) {
    const n = todo.pop();
    if (n > 0 && hits[t.frame[n]]) {
      nodes.push(n);
      sum += total[n];
      continue;
    }
    for (let k = t.first[n + 1] - 1; k >= t.first[n]; k--) todo.push(place.kids[k]);
  }
  return {nodes, sum};
}

// changeStep grades the change of node n from -steps to steps, 0 being none
// that is worth a colour: less than a thousandth of the total, or, for counts of
// events, less than two standard deviations of independent events.
function changeStep(v, n, type, steps) {
  const head = v.total[n], base = v.base.total[n] * type.base;
  const d = head - base, larger = Math.max(head, base);
  if (larger === 0 || Math.abs(d) < 0.001 * Math.max(v.total[0], v.base.total[0] * type.base)) return 0;
  const e = type.event;
  if (e > 0 && Math.abs(d) / e < 2 * Math.sqrt(head / e + base / e * type.base)) return 0;
  return Math.sign(d) * Math.ceil(Math.abs(d) / larger * steps);
}

const TIME = [['ns', 1], ['us', 1e3], ['ms', 1e6], ['s', 1e9], ['hrs', 3.6e12]];
const BYTES = [['B', 1], ['kB', 2 ** 10], ['MB', 2 ** 20], ['GB', 2 ** 30], ['TB', 2 ** 40], ['PB', 2 ** 50]];
const IN_NS = {nanoseconds: 1, microseconds: 1e3, milliseconds: 1e6, seconds: 1e9, ns: 1, us: 1e3, ms: 1e6, s: 1e9};

// formatValue prints a value in the unit that suits its size.
function formatValue(v, unit) {
  if (unit === 'bytes' || unit === 'byte' || unit === 'B') return scaled(v, BYTES);
  if (unit in IN_NS) return scaled(v * IN_NS[unit], TIME);
  const text = Number.isInteger(v) ? v.toLocaleString('en') : trim(v);
  return unit === 'count' || unit === '' ? text : text + ' ' + unit;
}

function scaled(v, units) {
  if (v === 0) return '0';
  let best = units[0];
  for (const u of units) if (Math.abs(v) >= u[1]) best = u;
  return trim(v / best[1]) + best[0];
}

function trim(v) {
  return v.toFixed(2).replace(/\.?0+$/, '');
}

function percent(part, whole) {
  if (!(whole > 0)) return '–';
  const p = 100 * part / whole;
  return (p >= 99.95 && p <= 100.05 ? '100' : Math.abs(p) >= 1 || p === 0 ? p.toFixed(2) : p.toPrecision(2)) + '%';
}

// shortName leaves the folders of the import path out.
function shortName(name) {
  const cut = name.search(/[[(]/);
  const head = cut > 0 ? name.slice(0, cut) : name;
  return name.slice(head.lastIndexOf('/') + 1);
}

// bareName leaves the package out, too.
function bareName(short) {
  const dot = short.search(/\.(?=[(\w·])/);
  return dot > 0 && !/[(<[:]/.test(short.slice(0, dot)) ? short.slice(dot + 1) : short;
}

// escapeXML makes text safe in the picture that is saved.
function escapeXML(s) {
  return s.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
    .replace(/[&<>"']/g, (c) => '&#' + c.charCodeAt(0) + ';');
}
