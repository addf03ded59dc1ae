// Pan and zoom by moving the viewBox: wheel or pinch zooms around the pointer,
// drag pans, double click or 0 resets, + and - zoom around the middle.
(function () {
  "use strict";
  const svg = document.currentScript ? document.currentScript.ownerSVGElement : document.documentElement;
  const standalone = svg === document.documentElement;
  const home = svg.viewBox.baseVal;
  const start = { x: home.x, y: home.y, w: home.width, h: home.height };
  let view = { ...start };
  const pointers = new Map();
  let dragging = false;
  let pinch = 0;

  function show() {
    svg.setAttribute("viewBox", [view.x, view.y, view.w, view.h].join(" "));
  }
  function toGraph(x, y) {
    return new DOMPoint(x, y).matrixTransform(svg.getScreenCTM().inverse());
  }
  function zoom(factor, x, y) {
    const w = Math.min(Math.max(view.w * factor, start.w / 1000), start.w * 20);
    const k = w / view.w;
    view = { x: x - (x - view.x) * k, y: y - (y - view.y) * k, w: w, h: view.h * k };
    show();
  }
  function zoomMiddle(factor) {
    zoom(factor, view.x + view.w / 2, view.y + view.h / 2);
  }
  function reset() {
    view = { ...start };
    show();
  }
  function spread() {
    const [a, b] = [...pointers.values()];
    return Math.hypot(a.x - b.x, a.y - b.y);
  }

  svg.style.touchAction = "none";
  svg.style.userSelect = "none";
  svg.addEventListener("wheel", function (e) {
    e.preventDefault();
    const lines = e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 400 : 1;
    const p = toGraph(e.clientX, e.clientY);
    zoom(Math.exp(e.deltaY * lines * (e.ctrlKey ? 0.01 : 0.0015)), p.x, p.y);
  }, { passive: false });
  svg.addEventListener("pointerdown", function (e) {
    if (e.button !== 0) return;
    pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    dragging = false;
    if (pointers.size === 2) pinch = spread();
  });
  svg.addEventListener("pointermove", function (e) {
    const last = pointers.get(e.pointerId);
    if (!last) return;
    // Capturing at once would take the click away from links.
    if (!dragging && Math.hypot(e.clientX - last.x, e.clientY - last.y) < 4) return;
    if (!dragging) {
      dragging = true;
      svg.setPointerCapture(e.pointerId);
      svg.style.cursor = "grabbing";
    }
    const from = toGraph(last.x, last.y);
    const to = toGraph(e.clientX, e.clientY);
    pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    if (pointers.size === 2) {
      const now = spread();
      if (now > 0 && pinch > 0) zoom(pinch / now, to.x, to.y);
      pinch = now;
      return;
    }
    view.x += from.x - to.x;
    view.y += from.y - to.y;
    show();
  });
  function release(e) {
    pointers.delete(e.pointerId);
    if (pointers.size === 0) svg.style.cursor = "";
  }
  svg.addEventListener("pointerup", release);
  svg.addEventListener("pointercancel", release);
  svg.addEventListener("click", function (e) {
    if (dragging) e.preventDefault();
  }, true);
  svg.addEventListener("dblclick", reset);
  // Inside another page the keys are the page's, unless the graph has the focus.
  if (!standalone) svg.setAttribute("tabindex", "0");
  (standalone ? window : svg).addEventListener("keydown", function (e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "+" || e.key === "=") zoomMiddle(1 / 1.25);
    else if (e.key === "-") zoomMiddle(1.25);
    else if (e.key === "0") reset();
    else return;
    e.preventDefault();
  });
})();
