// Zoom and pan of pictures.

/** @typedef {import('./texture_canvas.js').TextureCanvas} TextureCanvas */

/**
 * Zoom and pan with mouse, wheel, touch and keys.
 * @param {TextureCanvas[]} views that move together; the first one has the events
 * @param {HTMLElement} element
 * @param {() => void} moved
 */
export function handleMoves(views, element, moved) {
  const ratio = () => devicePixelRatio || 1;
  const all = (/** @type {(view: TextureCanvas) => void} */ work) => {
    views.forEach(work);
    moved();
  };
  element.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const box = element.getBoundingClientRect(),
        factor = Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0018) * (event.ctrlKey ? 4 : 1));
      all((view) => view.zoom(view.scale * factor, (event.clientX - box.left) * ratio(), (event.clientY - box.top) * ratio()));
    },
    { passive: false },
  );
  /** @type {Map<number, PointerEvent>} */
  const down = new Map();
  element.addEventListener('pointerdown', (event) => {
    down.set(event.pointerId, event);
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener('pointermove', (event) => {
    const before = down.get(event.pointerId);
    if (!before) return;
    if (down.size === 2) {
      const other = /** @type {PointerEvent} */ ([...down.values()].find((one) => one !== before)),
        box = element.getBoundingClientRect();
      const far = (/** @type {PointerEvent} */ p) => Math.hypot(p.clientX - other.clientX, p.clientY - other.clientY);
      all((view) =>
        view.zoom(
          (view.scale * far(event)) / Math.max(1, far(before)),
          ((event.clientX + other.clientX) / 2 - box.left) * ratio(),
          ((event.clientY + other.clientY) / 2 - box.top) * ratio(),
        ),
      );
    } else all((view) => view.pan((event.clientX - before.clientX) * ratio(), (event.clientY - before.clientY) * ratio()));
    down.set(event.pointerId, event);
  });
  for (const name of /** @type {const} */ (['pointerup', 'pointercancel']))
    element.addEventListener(name, (event) => down.delete(event.pointerId));
  element.addEventListener('dblclick', () => all((view) => view.fit()));
  element.addEventListener('keydown', (event) => {
    const step = 64 * ratio();
    const [dx, dy] = /** @type {Record<string, number[]>} */ ({
      ArrowLeft: [step, 0],
      ArrowRight: [-step, 0],
      ArrowUp: [0, step],
      ArrowDown: [0, -step],
    })[event.key] ?? [0, 0];
    if (dx || dy) all((view) => view.pan(dx, dy));
    else if (event.key === '+' || event.key === '=') all((view) => view.zoom(view.scale * 1.5));
    else if (event.key === '-') all((view) => view.zoom(view.scale / 1.5));
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}
