// The bytes of a pack or a bundle in the order in which they are stored.
import { el, table } from './dom.js';
import { count, counted, familyOf, size } from './format.js';

const ROW_HEIGHT = 28,
  MOST_ROWS = 1000;

/** @param {{ root: import('./data.js').Root, main: HTMLElement, open: (path: string) => void }} context */
export async function open({ root, main, open: openPath }) {
  const files = root.files.filter((file) => file.offset !== undefined).sort((a, b) => a.offset - b.offset);
  const stored = (/** @type {any} */ file) => file.stored_bytes ?? file.bytes;
  const end = files.reduce((last, file) => Math.max(last, file.offset + stored(file)), 0),
    start = files[0]?.offset ?? 0;
  const canvas = el('canvas', { role: 'img', 'aria-label': 'Files by their place in the archive' }),
    holder = el('div', { class: 'treemap' }, canvas),
    name = el('p', { class: 'soft', text: ' ' });
  const place = (/** @type {MouseEvent} */ event) => {
    const rows = Math.max(1, Math.floor(holder.clientHeight / ROW_HEIGHT)),
      row = Math.floor(event.offsetY / ROW_HEIGHT),
      at = start + ((end - start) * (row + event.offsetX / holder.clientWidth)) / rows;
    return files.findLast((file) => file.offset <= at && at < file.offset + stored(file));
  };
  const draw = () => {
    const ratio = devicePixelRatio || 1,
      width = holder.clientWidth,
      height = holder.clientHeight,
      rows = Math.max(1, Math.floor(height / ROW_HEIGHT)),
      context = canvas.getContext('2d', { willReadFrequently: true });
    if (!context || width === 0) return;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    context.scale(ratio, ratio);
    const probe = el('i', {});
    holder.append(probe);
    /** @type {Map<string, string>} */
    const colors = new Map();
    for (const file of files) {
      const kind = familyOf(file);
      if (!colors.has(kind)) {
        probe.style.color = `var(--${kind}, var(--other))`;
        colors.set(kind, getComputedStyle(probe).color);
      }
      context.fillStyle = colors.get(kind) ?? '';
      const scale = rows / Math.max(1, end - start),
        from = (file.offset - start) * scale,
        to = (file.offset + stored(file) - start) * scale;
      for (let row = Math.floor(from); row < Math.min(rows, Math.ceil(to)); ++row) {
        const left = Math.max(0, from - row) * width,
          right = Math.min(1, to - row) * width;
        context.fillRect(left, row * ROW_HEIGHT + 2, Math.max(0.5, right - left - (right - left > 4 ? 1 : 0)), ROW_HEIGHT - 4);
      }
    }
    probe.remove();
  };
  canvas.addEventListener('mousemove', (event) => {
    const file = place(event);
    name.textContent = file ? `${file.path}: ${size(stored(file))} at ${count(file.offset)}` : 'padding, or a part of the archive itself';
  });
  canvas.addEventListener('click', (event) => {
    const file = place(event);
    if (file) openPath(file.path);
  });
  const observer = new ResizeObserver(draw);
  observer.observe(holder);
  addEventListener('assetc-theme', draw);
  const total = files.reduce((sum, file) => sum + stored(file), 0),
    unpacked = files.reduce((sum, file) => sum + file.bytes, 0);
  main.replaceChildren(
    el(
      'div',
      { class: 'report' },
      el(
        'section',
        { class: 'card wide' },
        el('h3', { text: `${counted(files.length, 'file')} in the order of their bytes` }),
        el('p', {
          class: 'soft',
          text:
            files.length === 0
              ? 'The places of the files are not known.'
              : `${size(total)} stored, ${size(unpacked)} unpacked, ${size(Math.max(0, end - start - total))} between the files`,
        }),
        holder,
        name,
      ),
      el(
        'section',
        { class: 'card wide' },
        el('h3', { text: 'Files' }),
        table(
          ['Offset', 'File', 'Kind', 'Stored', 'Unpacked'],
          files
            .slice(0, MOST_ROWS)
            .map((file) => [
              count(file.offset),
              el('button', { type: 'button', class: 'link', text: file.path, onclick: () => openPath(file.path) }),
              file.kind,
              size(stored(file)),
              size(file.bytes),
            ]),
          'Files by offset',
        ),
      ),
    ),
  );
  return {
    key: () => false,
    update: async () => false,
    destroy: () => {
      observer.disconnect();
      removeEventListener('assetc-theme', draw);
    },
  };
}
