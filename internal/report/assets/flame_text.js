// The words: what is said about frames, in the header, the legend and the details.

const values = () => s.tree.values[s.column];
const type = () => data.types[s.column];
const widths = () => (s.widthBy === 'base' ? values().base : values());
const format = (v) => formatValue(v, type().unit);
const nameOf = (n) => (n === 0 ? 'all' : data.frames.name[s.tree.frame[n]]);

function placeOf(n) {
  if (n === 0) return '';
  const f = s.tree.frame[n], file = data.files[data.frames.file[f]], line = data.frames.line[f];
  return file && line > 0 ? file + ':' + line : file;
}

// changeText tells how a pair of values compares: A → B (difference, relative).
function changeText(base, head) {
  const scaled = base * type().base, d = head - scaled;
  const relative = scaled === 0 ? (head === 0 ? '' : ', new') : head === 0 ? ', gone' : ', ' + sign(100 * d / scaled, (v) => trim(v) + '%');
  return format(scaled) + ' → ' + format(head) + ' (' + sign(d, format) + relative + ')';
}

function sign(v, f) {
  return (v > 0 ? '+' : v < 0 ? '−' : '±') + f(Math.abs(v));
}

// rows lists what is to be said of node n: label, value, share of all, share of
// the zoomed frame.
function rows(n) {
  const v = values(), out = [];
  const row = (label, column) => {
    const head = v[column][n], whole = widths();
    const part = s.widthBy === 'base' ? v.base[column][n] : head;
    out.push([label, v.base ? changeText(v.base[column][n], head) : format(head), percent(part, whole.total[0]),
      s.zoom > 0 ? percent(part, whole.total[s.zoom]) : '']);
  };
  row('total', 'total');
  if (!s.tree.inverted) row('self', 'self');
  if (s.tree.folded[n] > 0) row(s.tree.folded[n].toLocaleString('en') + ' narrow ' + (s.tree.inverted ? 'callers' : 'callees'), 'rest');
  return out;
}

function traits(n) {
  if (n === 0) return '';
  const f = s.tree.frame[n];
  return [s.tree.inlined[n] ? 'inlined' : '', data.packages[data.frames.package[f]], data.origins[data.frames.origin[f]]].filter(Boolean).join(' · ');
}

function summary(n) {
  return nameOf(n) + '\n' + [placeOf(n), ...rows(n).map(([label, value, all]) => label + ' ' + value + ' ' + all)].filter(Boolean).join('\n');
}

function element(name, text, className) {
  const e = document.createElement(name);
  if (text) e.textContent = text;
  if (className) e.className = className;
  return e;
}

function facts() {
  const list = [...(data.types.length > 1 ? [] : [['type', type().type]]), ['total', s.rootLabel.slice(6)], ...data.facts];
  $('facts').replaceChildren(...list.map(([name, value]) => {
    const div = element('div');
    div.append(element('dt', name), element('dd', value));
    return div;
  }));
}

function details() {
  const n = s.selected, d = $('details');
  $('copy').disabled = n === 0;
  if (n === 0) {
    const folded = s.tree.folded.reduce((a, b) => a + b, 0);
    d.replaceChildren(element('span', 'Click a frame to zoom, / to search, ? for all keys.' +
      (folded > 0 ? ' ' + folded.toLocaleString('en') + ' narrow frames are folded into their parents.' : ''), 'soft'));
    return;
  }
  const line = element('div');
  line.append(...rows(n).map(([label, value, all, zoomed], i) =>
    element('span', (i > 0 ? ' · ' : '') + label + ' ' + value + ', ' + all + (zoomed ? ' (' + zoomed + ' of zoomed)' : ''))));
  d.replaceChildren(element('b', nameOf(n)), line, element('div', [placeOf(n), traits(n)].filter(Boolean).join(' · '), 'soft'));
}

function legend() {
  const chip = (text, ...colors) => {
    const e = element('span');
    e.append(...colors.map((c) => {
      const i = element('i');
      i.style.background = c;
      i.style.display = 'inline-block';
      return i;
    }), text);
    return e;
  };
  const p = s.palette, every = (list) => list.filter((_, i) => i % 2 === 0);
  const own = values().self;
  const top = (group) => {
    const sums = new Map();
    for (let n = 1; n < s.tree.n; n++) {
      const g = group(s.tree.frame[n]), v = s.tree.inverted ? (s.tree.parent[n] === 0 ? values().total[n] : 0) : own[n];
      sums.set(g, (sums.get(g) || 0) + v);
    }
    return [...sums].filter(([, v]) => v > 0).sort((a, b) => b[1] - a[1]).slice(0, 5);
  };
  const share = (v) => ' ' + percent(v, values().total[0]);
  let chips;
  if (s.color === 'change') chips = [chip('less', ...every(p.change.slice(0, 10))), chip('noise', p.change[10]), chip('more', ...every(p.change.slice(11)))];
  else if (s.color === 'heat') chips = [chip('little to much self', ...p.heat)];
  else if (s.color === 'origin') chips = top((f) => data.frames.origin[f]).map(([g, v]) => chip(data.origins[g] + share(v), p.origin[g]));
  else chips = top((f) => data.frames.package[f]).map(([g, v]) => chip((data.packages[g] || 'unknown') + share(v), p.package[data.hues[g]]));
  $('legend').replaceChildren(...chips);
}
