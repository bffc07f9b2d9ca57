// A map of sizes: each file is a box whose area is its size. Folders are grouped. Drawn on a canvas, with a list for screen readers elsewhere.
import { el } from './dom.js';
import { folderOf, nameOf, size } from './format.js';

/**
 * @typedef {{ path: string, name: string, kind: string, weight: number }} Item
 * @typedef {{ item: Item | null, name: string, weight: number, children: Node[] }} Node
 * @typedef {{ x: number, y: number, width: number, height: number }} Box
 */

const HEADER = 16,
  GAP = 1,
  MIN_HEADER_HEIGHT = 40,
  MIN_HEADER_WIDTH = 56;

/**
 * Divides a box among weights, so that the parts are nearly square. Source: Bruls, Huizing and van Wijk, "Squarified Treemaps", 2000.
 * @param {number[]} weights descending, each above 0
 * @param {Box} box
 * @returns {Box[]}
 */
export function squarify(weights, box) {
  /** @type {Box[]} */
  const out = [];
  let rest = weights.reduce((sum, weight) => sum + weight, 0),
    { x, y, width, height } = box,
    start = 0;
  while (start < weights.length && width > 0 && height > 0) {
    const side = Math.min(width, height),
      scale = (width * height) / rest;
    let sum = 0,
      end = start,
      worst = Infinity;
    while (end < weights.length) {
      const next = sum + weights[end],
        long = (next * scale) / side;
      const ratio = Math.max(
        (long * long) / (weights[start] * scale),
        (weights[start] * scale) / (long * long),
        (long * long) / (weights[end] * scale),
        (weights[end] * scale) / (long * long),
      );
      if (end > start && ratio > worst) break;
      worst = ratio;
      sum = next;
      ++end;
    }
    const thick = (sum * scale) / side;
    let along = 0;
    for (let i = start; i < end; ++i) {
      const part = (weights[i] / sum) * side;
      out.push(width >= height ? { x, y: y + along, width: thick, height: part } : { x: x + along, y, width: part, height: thick });
      along += part;
    }
    if (width >= height) [x, width] = [x + thick, width - thick];
    else [y, height] = [y + thick, height - thick];
    rest -= sum;
    start = end;
  }
  while (out.length < weights.length) out.push({ x, y, width: 0, height: 0 });
  return out;
}

/** @param {Item[]} items @returns {Node} */
function group(items) {
  /** @type {Node} */
  const root = { item: null, name: '', weight: 0, children: [] };
  /** @type {Map<string, Node>} */
  const folders = new Map([['', root]]);
  const folder = (/** @type {string} */ path) => {
    let node = folders.get(path);
    if (!node) {
      folders.set(path, (node = { item: null, name: nameOf(path), weight: 0, children: [] }));
      folder(folderOf(path)).children.push(node);
    }
    return node;
  };
  for (const item of items)
    if (item.weight > 0) folder(folderOf(item.name)).children.push({ item, name: nameOf(item.name), weight: item.weight, children: [] });
  const weigh = (/** @type {Node} */ node) => {
    if (!node.item) node.weight = node.children.reduce((sum, child) => sum + weigh(child), 0);
    node.children.sort((a, b) => b.weight - a.weight);
    return node.weight;
  };
  weigh(root);
  return root;
}

/**
 * @param {Item[]} items
 * @param {string} label
 * @param {(path: string) => void} open
 */
export function treemap(items, label, open) {
  const canvas = el('canvas', { role: 'img', 'aria-label': label }),
    holder = el('div', { class: 'treemap' }, canvas),
    root = group(items);
  /** @type {{ box: Box, node: Node }[]} */
  let leaves = [];
  /** @type {Node | null} */
  let hovered = null;
  const draw = () => {
    const ratio = devicePixelRatio || 1,
      width = holder.clientWidth,
      height = holder.clientHeight,
      style = getComputedStyle(holder);
    if (width === 0) return;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', { willReadFrequently: true }));
    context.scale(ratio, ratio);
    const value = (/** @type {string} */ name) => style.getPropertyValue(name);
    // Resolves light-dark() of a custom property.
    const probe = el('i', { hidden: true });
    holder.append(probe);
    const color = (/** @type {string} */ name) => {
      probe.style.color = `var(--${name}, var(--other))`;
      return getComputedStyle(probe).color;
    };
    const colors = new Map(
      ['texture', 'mesh', 'material', 'animation', 'scene', 'shader', 'other', 'line', 'text', 'soft', 'panel'].map((name) => [
        name,
        color(name),
      ]),
    );
    probe.remove();
    context.font = `11px ${value('font-family')}`;
    context.textBaseline = 'middle';
    leaves = [];
    const text = (/** @type {string} */ words, /** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ room) => {
      if (room < 16) return;
      let shown = words;
      while (shown.length > 1 && context.measureText(shown).width > room)
        shown = `${shown.slice(0, Math.max(1, Math.floor(shown.length * 0.8) - 1))}…`;
      if (shown.length > 2 || shown === words) context.fillText(shown, x, y);
    };
    const place = (/** @type {Node} */ node, /** @type {Box} */ box, /** @type {number} */ depth) => {
      if (box.width < 1 || box.height < 1) return;
      if (node.item) {
        leaves.push({ box, node });
        context.globalAlpha = node === hovered ? 0.95 : 0.62;
        context.fillStyle = colors.get(node.item.kind) ?? colors.get('other') ?? '';
        context.fillRect(box.x, box.y, Math.max(0.5, box.width - GAP), Math.max(0.5, box.height - GAP));
        context.globalAlpha = 1;
        if (box.width > 40 && box.height > 16) {
          context.fillStyle = colors.get('text') ?? '';
          text(node.name, box.x + 4, box.y + 9, box.width - 8);
          if (box.height > 32) text(size(node.weight), box.x + 4, box.y + 23, box.width - 8);
        }
        return;
      }
      let inner = box;
      if (depth > 0 && box.height >= MIN_HEADER_HEIGHT && box.width >= MIN_HEADER_WIDTH) {
        context.fillStyle = colors.get('soft') ?? '';
        text(`${node.name}  ${size(node.weight)}`, box.x + 4, box.y + HEADER / 2, box.width - 8);
        inner = { x: box.x + 1, y: box.y + HEADER, width: box.width - 3, height: box.height - HEADER - 2 };
      }
      squarify(
        node.children.map((child) => child.weight),
        inner,
      ).forEach((part, i) => place(node.children[i], part, depth + 1));
    };
    place(root, { x: 0, y: 0, width, height }, 0);
  };
  const at = (/** @type {MouseEvent} */ event) =>
    leaves.find(
      ({ box }) =>
        event.offsetX >= box.x && event.offsetX < box.x + box.width && event.offsetY >= box.y && event.offsetY < box.y + box.height,
    );
  /** @type {HTMLElement | null} */
  let tip = null;
  canvas.addEventListener('mousemove', (event) => {
    const found = at(event)?.node ?? null;
    if (found !== hovered) {
      hovered = found;
      draw();
    }
    tip?.remove();
    if (!found?.item) return;
    tip = el(
      'div',
      { class: 'tip' },
      el('div', { text: found.item.name }),
      el('div', { class: 'soft', text: `${size(found.weight)}, ${((100 * found.weight) / root.weight).toFixed(1)} %` }),
    );
    document.body.append(tip);
    tip.style.left = `${Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${Math.min(event.clientY + 12, innerHeight - tip.offsetHeight - 8)}px`;
  });
  const leave = () => {
    tip?.remove();
    hovered = null;
  };
  canvas.addEventListener('mouseleave', () => {
    leave();
    draw();
  });
  canvas.addEventListener('click', (event) => {
    const found = at(event)?.node.item;
    if (!found) return;
    leave();
    open(found.path);
  });
  const observer = new ResizeObserver(draw);
  observer.observe(holder);
  addEventListener('assetc-theme', draw);
  return {
    element: holder,
    leavesForTests: () => leaves,
    destroy: () => {
      leave();
      observer.disconnect();
      removeEventListener('assetc-theme', draw);
    },
  };
}
