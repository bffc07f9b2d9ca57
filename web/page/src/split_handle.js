// The line between two pictures, which is dragged or moved with arrow keys.
import { el } from './dom.js';

const STEP = 0.02;

/** @param {(part: number) => void} moved the place of the line, from 0 on the left to 1 @returns {HTMLElement} */
export function splitHandle(moved) {
  let part = 0.5;
  const handle = el('button', {
    type: 'button',
    class: 'split-handle',
    hidden: true,
    role: 'slider',
    'aria-label': 'Split between source and compiled',
    'aria-valuemin': 0,
    'aria-valuemax': 100,
  });
  const set = (/** @type {number} */ next) => {
    part = Math.min(1, Math.max(0, next));
    handle.style.left = `${100 * part}%`;
    handle.setAttribute('aria-valuenow', String(Math.round(100 * part)));
    moved(part);
  };
  handle.style.left = '50%';
  handle.setAttribute('aria-valuenow', '50');
  handle.addEventListener('pointerdown', (event) => handle.setPointerCapture(event.pointerId));
  handle.addEventListener('pointermove', (event) => {
    if (!handle.hasPointerCapture(event.pointerId)) return;
    const box = /** @type {HTMLElement} */ (handle.parentElement).getBoundingClientRect();
    set((event.clientX - box.left) / box.width);
  });
  handle.addEventListener('keydown', (event) => {
    const by = event.key === 'ArrowLeft' ? -STEP : event.key === 'ArrowRight' ? STEP : 0;
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    set(part + by);
  });
  return handle;
}
