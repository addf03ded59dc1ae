// Drawing: from the model and a view to pixels, or to a picture in SVG.

const ROW = 19, FONT = 12, MIN_TEXT = 30;
const FONT_FAMILY = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';

// A view is the part of the layout that is shown: from x0 to x1, with the path
// above the zoomed node as wide as the window.
//
// visit calls draw for every frame that is wide enough to be seen, with its
// place in CSS pixels, and drawRest for every run of siblings that are not:
// parent, how many frames, their value and their place. It returns how many
// levels there are.
function visit(s, view, width, draw, drawRest) {
  const {tree: t, place} = s, least = 0.5;
  const total = widths().total, rest = widths().rest, all = total[0] || 1;
  const pixel = (x) => (x - view.x0) / (view.x1 - view.x0) * width;
  const todo = [0], children = [];
  let levels = 0;
  while (todo.length > 0) {
    const n = todo.pop(), end = place.x[n] + place.w[n];
    levels = Math.max(levels, t.depth[n] + 1);
    draw(n, Math.max(pixel(place.x[n]), 0), Math.min(pixel(end), width));
    let run = null, at = place.x[n];
    children.length = 0;
    const flush = () => {
      const left = run ? Math.max(pixel(run.from), 0) : 0, right = run ? Math.min(pixel(run.to), width) : 0;
      if (run && drawRest && right - left >= 1) drawRest(n, run.count, run.value, left, right);
      run = null;
    };
    const skip = (count, value, from, to) => {
      run = run || {count: 0, value: 0, from};
      run.count += count;
      run.value += value;
      run.to = to;
    };
    for (let i = t.first[n]; i < t.first[n + 1]; i++) {
      const k = place.kids[i], left = pixel(place.x[k]);
      at = place.x[k] + place.w[k];
      const right = pixel(at);
      if (right <= 0.01 || left >= width - 0.01) continue;
      if (right - left < least) {
        skip(1, total[k], place.x[k], at);
        continue;
      }
      flush();
      children.push(k);
    }
    if (rest[n] > 0) skip(t.folded[n], rest[n], at, at + rest[n] / all);
    flush();
    for (let i = children.length - 1; i >= 0; i--) todo.push(children[i]);
  }
  return levels;
}

// nodeColor picks a node's colour of the theme's palette.
function nodeColor(s, n) {
  const p = s.palette, t = s.tree, v = t.values[s.column];
  if (n === 0) return p.root;
  const f = t.frame[n];
  switch (s.color) {
    case 'change': {
      const steps = (p.change.length - 1) / 2;
      return p.change[steps + changeStep(v, n, s.data.types[s.column], steps)];
    }
    case 'origin':
      return p.origin[s.data.frames.origin[f]];
    case 'heat': {
      // By its square root, so that what is not the very hottest shows too.
      const share = v.total[0] > 0 ? v.self[n] / s.hottest : 0;
      return p.heat[Math.round(Math.sqrt(share) * (p.heat.length - 1))];
    }
  }
  return p.package[s.data.hues[s.data.frames.package[f]]];
}

// label is the text in a node's frame: the name, without its package if that
// doesn't fit, and else the beginning of it.
function label(s, n, ctx, room) {
  if (n === 0) return clip(s.rootLabel, ctx, room);
  const f = s.tree.frame[n];
  s.textWidth[f] = s.textWidth[f] || ctx.measureText(s.short[f]).width;
  if (s.textWidth[f] <= room) return s.short[f];
  return clip(bareName(s.short[f]), ctx, room);
}

// clip shortens text to the room there is, '' if that is none to speak of.
function clip(text, ctx, room) {
  const width = ctx.measureText(text).width;
  if (width <= room) return text;
  // The letters kept may be wider than the average.
  for (let keep = Math.floor(text.length * room / width) - 1; keep >= 2; keep--) {
    const short = text.slice(0, keep) + '…';
    if (ctx.measureText(short).width <= room) return short;
  }
  return '';
}

function restLabel(count, ctx, room) {
  const text = '… ' + count.toLocaleString('en') + ' narrow frames';
  return ctx.measureText(text).width <= room ? text : '…';
}

// drawGraph draws what is visible of the window onto the canvas.
function drawGraph(s, canvas, view, box) {
  const ctx = canvas.getContext('2d'), p = s.palette, dpr = window.devicePixelRatio || 1;
  const pw = Math.max(1, Math.round(box.width * dpr)), ph = Math.max(1, Math.round(box.height * dpr));
  if (canvas.width !== pw || canvas.height !== ph) {
    canvas.width = pw;
    canvas.height = ph;
  }
  ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
  ctx.fillStyle = p.background;
  ctx.fillRect(0, 0, box.width, box.height);
  ctx.font = FONT + 'px ' + FONT_FAMILY;
  ctx.textBaseline = 'middle';
  const above = ancestors(s.tree, s.zoom);
  const outlines = [];
  visit(s, view, box.width, (n, left, right) => {
    const y = rowTop(s, s.tree.depth[n], box) - box.top;
    if (y > box.height || y + ROW < 0) return;
    // Edges on device pixels, with a gap of one where frames are wide enough.
    const x = Math.round(left * dpr) / dpr, gap = right - left > 3 ? 1 / dpr : 0;
    const w = Math.max(Math.round(right * dpr) / dpr - x - gap, 1 / dpr);
    const faded = s.hits && !(n > 0 && s.hits[s.tree.frame[n]]);
    ctx.globalAlpha = faded ? 0.32 : above.has(n) ? 0.55 : 1;
    ctx.fillStyle = nodeColor(s, n);
    ctx.fillRect(x, y, w, ROW - 1);
    ctx.globalAlpha = 1;
    if (s.hits && !faded) {
      ctx.fillStyle = p.match;
      ctx.fillRect(x, y + ROW - 3, w, 2);
    }
    if (w > MIN_TEXT) {
      ctx.fillStyle = faded || above.has(n) ? p.dim : p.text;
      const text = label(s, n, ctx, w - 9);
      if (text) ctx.fillText(text, x + 5, y + ROW / 2);
    }
    if ((n === s.selected && n > 0) || n === s.hover) outlines.push([x, y, w, n === s.selected ? 2 : 1]);
  }, (n, count, value, left, right) => {
    const y = rowTop(s, s.tree.depth[n] + 1, box) - box.top;
    if (y > box.height || y + ROW < 0) return;
    ctx.globalAlpha = s.hits ? 0.4 : 1;
    ctx.fillStyle = p.rest;
    ctx.fillRect(left, y, right - left - 1 / dpr, ROW - 1);
    ctx.globalAlpha = 1;
    ctx.fillStyle = p.dim;
    if (right - left > MIN_TEXT) ctx.fillText(restLabel(count, ctx, right - left - 9), left + 5, y + ROW / 2);
  });
  ctx.strokeStyle = p.line;
  for (const [x, y, w, line] of outlines) {
    ctx.lineWidth = line;
    ctx.strokeRect(x + line / 2, y + line / 2, Math.max(w - line, 0.5), ROW - 1 - line);
  }
}

function rowTop(s, depth, box) {
  return s.flip ? box.full - (depth + 1) * ROW : depth * ROW;
}

function ancestors(t, n) {
  const set = new Set();
  while (n > 0) set.add(n = t.parent[n]);
  return set;
}

// drawSVG returns the current view as a picture.
function drawSVG(s, view, width, ctx) {
  const frames = [];
  ctx.font = FONT + 'px ' + FONT_FAMILY;
  const p = s.palette;
  const levels = visit(s, view, width, (n, left, right) => {
    frames.push({
      depth: s.tree.depth[n], left, right, fill: nodeColor(s, n), title: s.summary(n),
      text: right - left > MIN_TEXT ? label(s, n, ctx, right - left - 9) : '',
    });
  }, (n, count, value, left, right) => {
    frames.push({
      depth: s.tree.depth[n] + 1, left, right, fill: p.rest, title: count.toLocaleString('en') + ' narrow frames\n' + format(value),
      text: right - left > MIN_TEXT ? restLabel(count, ctx, right - left - 9) : '',
    });
  }) + 1;
  const top = 34, height = top + levels * ROW + 8, out = [];
  out.push('<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="' + width + '" height="' + height +
    '" viewBox="0 0 ' + width + ' ' + height + '" font-family="' + escapeXML(FONT_FAMILY) + '" font-size="' + FONT + '">\n');
  out.push('<rect width="100%" height="100%" fill="' + p.background + '"/>\n');
  out.push('<text x="8" y="21" font-size="14" font-weight="600" fill="' + p.text + '">' + escapeXML(s.heading) + '</text>\n');
  for (const f of frames) {
    const y = top + (s.flip ? levels - 1 - f.depth : f.depth) * ROW, wide = f.right - f.left;
    out.push('<g><title>' + escapeXML(f.title) + '</title><rect x="' + f.left.toFixed(2) + '" y="' + y + '" width="' +
      Math.max(wide - (wide > 3 ? 0.7 : 0), 0.3).toFixed(2) + '" height="' + (ROW - 1) + '" fill="' + f.fill + '"/>');
    if (f.text) out.push('<text x="' + (f.left + 5).toFixed(2) + '" y="' + (y + 13) + '" fill="' + p.text + '">' + escapeXML(f.text) + '</text>');
    out.push('</g>\n');
  }
  out.push('</svg>\n');
  return out.join('');
}
