// The page: state, controls, pointer and keys.

const $ = (id) => document.getElementById(id);
const data = JSON.parse($('data').textContent);
const canvas = $('graph'), stage = $('stage'), tip = $('tip');
const darkQuery = window.matchMedia('(prefers-color-scheme: dark)');
const calm = window.matchMedia('(prefers-reduced-motion: reduce)');
const diff = data.trees[0].values[0].baseSelf.length > 0;

const s = {
  data, trees: new Map(), tree: null, place: null,
  column: 0, widthBy: 'head', order: 'size', color: diff ? 'change' : 'package',
  inverted: data.trees[0].inverted, flip: false, collapsed: false, theme: '',
  zoom: 0, selected: 0, hover: -1, hits: null, match: null, hottest: 1,
  short: data.frames.name.map(shortName), textWidth: new Float32Array(data.frames.name.length),
  palette: null, rootLabel: 'all', heading: '', summary,
};
const view = {x0: 0, x1: 1}, from = {x0: 0, x1: 1}, target = {x0: 0, x1: 1};
let began = -1, queued = false, levels = 1;

// Everything that changes what is seen asks for one frame.
function invalidate() {
  if (!queued) {
    queued = true;
    requestAnimationFrame(frame);
  }
}

function frame(now) {
  queued = false;
  if (began >= 0) {
    const done = calm.matches ? 1 : Math.min((now - began) / 180, 1), ease = 1 - (1 - done) ** 3;
    view.x0 = from.x0 + (target.x0 - from.x0) * ease;
    view.x1 = from.x1 + (target.x1 - from.x1) * ease;
    if (done < 1) invalidate();
    else began = -1;
  }
  drawGraph(s, canvas, view, box());
}

function box() {
  const height = stage.clientHeight;
  return {width: stage.clientWidth, height, top: stage.scrollTop, full: Math.max(height, levels * ROW)};
}

// fit gives the window the height of what is visible at the end of the zoom.
function fit() {
  levels = 1;
  const below = (n, d) => { levels = Math.max(levels, s.tree.depth[n] + 1 + d); };
  visit(s, target, stage.clientWidth, (n) => below(n, 0), (n) => below(n, 1));
  const b = box();
  canvas.style.height = b.height + 'px';
  $('spacer').style.height = b.full - b.height + 'px';
}

// The view.

function rebuild(path) {
  const key = s.inverted + ' ' + s.collapsed;
  if (!s.trees.has(key)) {
    const t = readTree(data, data.trees.find((t) => t.inverted === s.inverted));
    s.trees.set(key, s.collapsed ? collapse(t) : t);
  }
  s.tree = s.trees.get(key);
  s.zoom = path ? nodeAt(path) : 0;
  s.selected = s.zoom;
  s.hover = -1;
  relayout();
}

function relayout() {
  s.place = layout(s.tree, widths(), s.order, data.frames.name);
  s.hottest = values().self.reduce((a, b) => Math.max(a, b), 1);
  s.rootLabel = 'all · ' + (diff ? changeText(values().base.total[0], values().total[0]) : format(values().total[0]));
  s.heading = [data.title, type().type + ' ' + s.rootLabel.slice(6)].filter(Boolean).join(' · ');
  search();
  facts();
  legend();
  zoomTo(s.zoom, true);
}

// pathTo and nodeAt carry a node over to another form of the tree.
function pathTo(n) {
  const path = [];
  for (; n > 0; n = s.tree.parent[n]) path.unshift(s.tree.frame[n]);
  return path;
}

function nodeAt(path) {
  let n = 0;
  for (const f of path) {
    if (s.tree.frame[n] === f) continue; // collapsed
    let child = -1;
    for (let k = s.tree.first[n]; k < s.tree.first[n + 1]; k++) if (s.tree.frame[k] === f) child = k;
    if (child < 0) break;
    n = child;
  }
  return n;
}

function zoomTo(n, atOnce) {
  if (!(s.place.w[n] > 0)) n = 0;
  const moved = n !== s.zoom;
  s.zoom = n;
  const width = s.place.w[n] || 1;
  Object.assign(from, view);
  Object.assign(target, {x0: s.place.x[n], x1: s.place.x[n] + width});
  if (atOnce) Object.assign(view, target);
  began = atOnce ? -1 : performance.now();
  fit();
  if (moved || atOnce) {
    const row = Math.max(0, s.tree.depth[n] - 2) * ROW, b = box();
    stage.scrollTop = s.flip ? b.full - b.height - row : row;
  }
  if (moved) search();
  crumbs();
  details();
  hideTip();
  invalidate();
}

function select(n) {
  s.selected = n;
  const b = box(), y = rowTop(s, s.tree.depth[n], b);
  if (y < b.top) stage.scrollTop = y;
  if (y + ROW > b.top + b.height) stage.scrollTop = y + ROW - b.height;
  details();
  invalidate();
}

function search() {
  const match = matcher($('query').value);
  s.hits = match && Uint8Array.from(data.frames.name, (name) => (match(name) ? 1 : 0));
  s.match = s.hits && findMatches(s.tree, s.place, widths().total, s.zoom, s.hits);
  const out = $('matched');
  out.textContent = s.match ? percent(s.match.sum, widths().total[s.zoom]) : '';
  out.title = s.match ? format(s.match.sum) + ' in or below ' + s.match.nodes.length.toLocaleString('en') + ' matching frames' +
    (s.zoom > 0 ? ', of the zoomed frame' : '') + (s.tree.folded.some(Boolean) ? '; folded frames are not searched' : '') : '';
  $('prev').disabled = $('next').disabled = !s.match || s.match.nodes.length === 0;
  invalidate();
}

function nextMatch(step) {
  if (!s.match) return;
  const least = 0.5 / stage.clientWidth * (target.x1 - target.x0);
  const nodes = s.match.nodes.filter((n) => s.place.w[n] >= least);
  if (nodes.length === 0) return;
  const at = nodes.indexOf(s.selected);
  select(nodes[at < 0 ? (step > 0 ? 0 : nodes.length - 1) : (at + step + nodes.length) % nodes.length]);
}

// What surrounds the graph.

function crumbs() {
  const path = [];
  for (let n = s.zoom; n > 0; n = s.tree.parent[n]) path.unshift(n);
  $('crumbs').replaceChildren(...[0, ...path].flatMap((n, i) => {
    const b = element('button', n === 0 ? 'all' : s.short[s.tree.frame[n]]);
    b.title = nameOf(n);
    b.addEventListener('click', () => zoomTo(n));
    if (n === s.zoom) b.setAttribute('aria-current', 'true');
    return i > 0 ? [element('span', '›'), b] : [b];
  }));
  $('crumbs').scrollLeft = 1e6;
}

function theme() {
  if (s.theme) document.documentElement.dataset.theme = s.theme;
  s.palette = data.palettes[(s.theme ? s.theme === 'dark' : darkQuery.matches) ? 1 : 0];
}

// The pointer.

function nodeUnder(e) {
  const r = canvas.getBoundingClientRect(), b = box();
  const y = e.clientY - r.top + b.top, depth = s.flip ? Math.floor((b.full - y) / ROW) : Math.floor(y / ROW);
  const at = view.x0 + (e.clientX - r.left) / b.width * (view.x1 - view.x0);
  let n = 0;
  for (let d = 0; d < depth; d++) {
    let child = -1;
    for (let i = s.tree.first[n]; i < s.tree.first[n + 1]; i++) {
      const k = s.place.kids[i];
      if (s.place.x[k] <= at && at < s.place.x[k] + s.place.w[k]) child = k;
    }
    if (child < 0) return -1;
    n = child;
  }
  return depth >= 0 && s.place.w[n] / (view.x1 - view.x0) * b.width >= 0.5 ? n : -1;
}

function showTip(n, e) {
  const table = element('table');
  const head = s.zoom > 0 ? ['', '', 'of all', 'of zoomed'] : ['', '', 'of all'];
  for (const cells of [head, ...rows(n)]) {
    const tr = element('tr');
    head.forEach((_, i) => tr.append(element(i === 0 ? 'th' : 'td', cells[i], cells === head ? 'soft' : '')));
    table.append(tr);
  }
  const parts = [element('b', nameOf(n))];
  for (const text of [placeOf(n), traits(n)]) if (text) parts.push(element('div', text, 'soft'));
  tip.replaceChildren(...parts, table);
  tip.hidden = false;
  const r = tip.getBoundingClientRect();
  const left = Math.min(e.clientX + 14, innerWidth - r.width - 8);
  const below = e.clientY + 18;
  tip.style.left = Math.max(8, left) + 'px';
  tip.style.top = Math.max(8, below + r.height > innerHeight - 8 ? e.clientY - r.height - 12 : below) + 'px';
}

function hideTip() {
  tip.hidden = true;
}

canvas.addEventListener('pointermove', (e) => {
  if (e.pointerType !== 'mouse') return;
  const n = nodeUnder(e);
  if (n !== s.hover) invalidate();
  s.hover = n;
  canvas.style.cursor = n >= 0 ? 'pointer' : 'default';
  if (n >= 0) showTip(n, e);
  else hideTip();
});
canvas.addEventListener('pointerleave', () => {
  s.hover = -1;
  hideTip();
  invalidate();
});
canvas.addEventListener('click', (e) => {
  const n = nodeUnder(e);
  if (n < 0 || e.detail > 1) return;
  s.selected = n;
  zoomTo(n);
});
canvas.addEventListener('dblclick', reset);
stage.addEventListener('scroll', () => {
  hideTip();
  invalidate();
}, {passive: true});

function reset() {
  s.selected = 0;
  zoomTo(0);
}

// Keys.

function moveSideways(step) {
  const depth = s.tree.depth[s.selected], row = [];
  visit(s, target, stage.clientWidth, (n) => {
    if (s.tree.depth[n] === depth) row.push(n);
  });
  const at = row.indexOf(s.selected);
  if (row.length > 0) select(row[Math.min(Math.max(at + step, 0), row.length - 1)]);
}

function moveIn() {
  let best = -1;
  visit(s, target, stage.clientWidth, (n) => {
    if (n > 0 && s.tree.parent[n] === s.selected && (best < 0 || s.place.w[n] > s.place.w[best])) best = n;
  });
  if (best >= 0) select(best);
}

function moveOut() {
  if (s.selected > 0) select(s.tree.parent[s.selected]);
}

async function copyName() {
  const name = nameOf(s.selected), button = $('copy');
  try {
    await navigator.clipboard.writeText(name);
  } catch {
    const area = element('textarea', name);
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  button.textContent = 'Copied';
  setTimeout(() => { button.textContent = 'Copy name'; }, 1200);
}

function saveSVG() {
  const text = drawSVG(s, target, Math.max(800, stage.clientWidth), canvas.getContext('2d'));
  const a = element('a');
  a.href = URL.createObjectURL(new Blob([text], {type: 'image/svg+xml'}));
  a.download = (data.title || 'flame').replace(/[^\w.-]+/g, '_') + '.svg';
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 1000);
}

const keys = {
  ArrowLeft: () => moveSideways(-1), a: () => moveSideways(-1),
  ArrowRight: () => moveSideways(1), d: () => moveSideways(1),
  ArrowDown: () => (s.flip ? moveOut() : moveIn()), s: () => (s.flip ? moveOut() : moveIn()),
  ArrowUp: () => (s.flip ? moveIn() : moveOut()), w: () => (s.flip ? moveIn() : moveOut()),
  Enter: () => zoomTo(s.selected), '+': () => zoomTo(s.selected), '=': () => zoomTo(s.selected),
  '-': () => {
    const n = s.tree.parent[s.zoom];
    s.selected = n;
    zoomTo(n);
  },
  0: reset, Escape: reset,
  '/': () => $('query').select(), '?': () => $('keys').showModal(),
  n: () => nextMatch(1), N: () => nextMatch(-1),
  i: () => $('invert').click(), f: () => $('flip').click(), r: () => $('collapse').click(), t: () => $('theme').click(),
  c: () => s.selected > 0 && copyName(),
};

document.addEventListener('keydown', (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || $('keys').open) return;
  const on = e.target.tagName;
  if (on === 'INPUT') {
    if (e.key === 'Enter') nextMatch(e.shiftKey ? -1 : 1);
    if (e.key === 'Escape') {
      $('query').value = '';
      search();
      canvas.focus();
    }
    return;
  }
  if (on === 'SELECT' || (e.key === 'Enter' && e.target !== canvas && e.target !== document.body)) return;
  const act = keys[e.key];
  if (!act) return;
  e.preventDefault();
  act();
});

// Controls.

function toggle(id, act) {
  $(id).addEventListener('click', () => {
    $(id).setAttribute('aria-pressed', String(act()));
  });
}

toggle('flip', () => {
  s.flip = !s.flip;
  zoomTo(s.zoom, true);
  return s.flip;
});
toggle('collapse', () => {
  const path = pathTo(s.zoom);
  s.collapsed = !s.collapsed;
  rebuild(path);
  return s.collapsed;
});
if (data.trees.length > 1) {
  $('invert').hidden = false;
  toggle('invert', () => {
    if (data.trees.length > 1) s.inverted = !s.inverted;
    rebuild();
    return s.inverted;
  });
}
$('invert').setAttribute('aria-pressed', String(s.inverted));
$('theme').addEventListener('click', () => {
  s.theme = s.palette === data.palettes[1] ? 'light' : 'dark';
  theme();
  legend();
  invalidate();
});
darkQuery.addEventListener('change', () => {
  theme();
  legend();
  invalidate();
});
$('query').addEventListener('input', search);
$('prev').addEventListener('click', () => nextMatch(-1));
$('next').addEventListener('click', () => nextMatch(1));
$('help').addEventListener('click', () => $('keys').showModal());
$('keysClose').addEventListener('click', () => $('keys').close());
$('copy').addEventListener('click', copyName);
$('save').addEventListener('click', saveSVG);
for (const [id, field] of [['color', 'color'], ['order', 'order'], ['width', 'widthBy']]) {
  $(id).addEventListener('change', () => {
    s[field] = $(id).value;
    relayout();
  });
}
$('type').append(...data.types.map((t, i) => {
  const o = element('option', t.type);
  o.value = i;
  return o;
}));
$('type').addEventListener('change', () => {
  s.column = Number($('type').value);
  relayout();
});

const narrow = window.matchMedia('(max-width: 720px)');
const unfold = () => { $('more').open = !narrow.matches; };
narrow.addEventListener('change', unfold);
new ResizeObserver(() => {
  fit();
  invalidate();
}).observe(stage);

unfold();
theme();
$('title').textContent = data.title || 'flame graph';
$('typeLabel').hidden = data.types.length < 2;
$('widthLabel').hidden = !diff;
if (!diff) $('color').querySelector('[value=change]').remove();
$('color').value = s.color;
if (data.warnings && data.warnings.length > 0) {
  $('warnings').hidden = false;
  $('warnings').replaceChildren(...data.warnings.map((w) => element('li', w)));
}
if (data.trees[0].inverted && data.trees.length < 2) $('title').textContent += ' (inverted)';
rebuild();
canvas.focus({preventScroll: true});
