// Zoom, search and details of a flame graph in SVG.
(function () {
  'use strict';
  var $ = function (id) { return document.getElementById(id); };
  var group = $('frames'), width = Number(group.dataset.width), char = Number(group.dataset.char), margin = 10, bar = 3, near = 0.01;
  var frames = Array.prototype.map.call(group.children, function (g) {
    var rect = g.querySelector('rect'), title = g.querySelector('title').textContent;
    return {
      g: g, rect: rect, mark: g.querySelector('path'), text: g.querySelector('text'), title: title, name: title.split('\n')[0], depth: Number(g.dataset.d),
      x: Number(rect.getAttribute('x')), w: Number(rect.getAttribute('width'))
    };
  });
  var zoomed = frames[0], test = null;

  function short(f) {
    if (f.g.classList.contains('whole')) return f.name;
    var name = f.name, cut = name.search(/[[(]/), head = cut > 0 ? name.slice(0, cut) : name;
    return name.slice(head.lastIndexOf('/') + 1);
  }

  function zoom(to) {
    zoomed = to;
    var scale = width / to.w;
    frames.forEach(function (f) {
      var above = f.depth < to.depth && f.x <= to.x + near && f.x + f.w >= to.x + to.w - near;
      var inside = f.depth >= to.depth && f.x >= to.x - near && f.x + f.w <= to.x + to.w + near;
      f.g.style.display = above || inside ? '' : 'none';
      if (!above && !inside) return;
      var x = above ? margin : margin + (f.x - to.x) * scale, w = above ? width : f.w * scale;
      f.rect.setAttribute('x', x);
      f.rect.setAttribute('width', w);
      f.text.setAttribute('x', x + 4);
      if (f.mark) {
        var long = f.mark.hasAttribute('stroke-dasharray') ? w : w < 2 * bar ? 0 : bar;
        f.mark.setAttribute('d', f.mark.getAttribute('d').replace(/M\S+/, 'M' + x).replace(/h.*/, 'h' + long));
      }
      var name = short(f), room = Math.floor((w - 8) / char);
      f.text.textContent = name.length <= room ? name : room < 4 ? '' : name.slice(0, room - 1) + '…';
      f.rect.style.opacity = above ? 0.5 : '';
    });
    $('reset').setAttribute('visibility', to === frames[0] && !test ? 'hidden' : 'visible');
    matched();
  }

  // matched tells the share of the zoomed frame that lies in or below a match.
  // Frames lie inside of their parents, so that the outermost matches are those
  // that don't begin inside of a match before them.
  function matched() {
    var sum = 0, hits = [];
    frames.forEach(function (f) {
      var hit = test !== null && f.depth > 0 && f.name[0] !== '…' && test(f.name);
      f.g.classList.toggle('match', hit);
      f.g.classList.toggle('faded', test !== null && !hit);
      if (hit && f.depth >= zoomed.depth && f.x >= zoomed.x - near && f.x + f.w <= zoomed.x + zoomed.w + near) hits.push(f);
    });
    hits.sort(function (a, b) { return Math.abs(a.x - b.x) > near ? a.x - b.x : a.depth - b.depth; });
    var end = -1;
    hits.forEach(function (f) {
      if (f.x < end - near) return;
      sum += f.w;
      end = f.x + f.w;
    });
    $('matched').textContent = test ? 'matched ' + (100 * sum / zoomed.w).toFixed(2) + '%' : '';
  }

  function search() {
    var text = prompt('Search functions: a regular expression; in small letters it finds capitals too', '');
    if (text === null) return;
    test = null;
    if (text) {
      var re, flags = text === text.toLowerCase() ? 'i' : '';
      try {
        re = new RegExp(text, flags);
      } catch (e) { // what can't be one is found as it stands
        re = new RegExp(text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&'), flags);
      }
      test = function (name) { return re.test(name); };
    }
    zoom(zoomed);
  }

  function reset() {
    test = null;
    zoom(frames[0]);
  }

  function frameOf(e) {
    var g = e.target.closest ? e.target.closest('.f') : null;
    return g && frames.find(function (f) { return f.g === g; });
  }

  group.addEventListener('click', function (e) {
    var f = frameOf(e);
    if (f) zoom(f);
  });
  group.addEventListener('mouseover', function (e) {
    var f = frameOf(e);
    $('details').textContent = f ? f.title.split('\n').join(' · ') : '';
  });
  group.addEventListener('mouseout', function () { $('details').textContent = ''; });
  $('search').addEventListener('click', search);
  $('reset').addEventListener('click', reset);
  document.addEventListener('keydown', function (e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === '/') {
      e.preventDefault();
      search();
    }
    if (e.key === 'Escape' || e.key === '0') reset();
  });
  $('search').setAttribute('visibility', 'visible');
})();
