// Two builds side by side: assets that were added, removed, grew, shrank or changed, and pictures of a changed texture.
import { el, problemBox, segmented, table } from './dom.js';
import { counted, decibels, size } from './format.js';
import { pageError, run } from './jobs.js';
import { handleMoves } from './canvas_moves.js';
import { TextureCanvas } from './texture_canvas.js';

const MOST_ROWS = 1000;

/** @typedef {import('./data.js').FileFact} FileFact */
/**
 * @typedef {'added' | 'removed' | 'grown' | 'shrunk' | 'changed'} Kind
 * @typedef {{ path: string, change: Kind, before: FileFact | null, after: FileFact | null, by: number }} Change
 */

/**
 * The differences of two roots, largest first.
 * @param {import('./data.js').Root} older
 * @param {import('./data.js').Root} newer
 * @returns {Change[]}
 */
export function changesOf(older, newer) {
  /** @type {Change[]} */
  const out = [];
  for (const after of newer.files) {
    const before = older.byPath.get(after.path) ?? null;
    if (!before) out.push({ path: after.path, change: 'added', before, after, by: after.bytes });
    else if (before.bytes !== after.bytes)
      out.push({
        path: after.path,
        change: after.bytes > before.bytes ? 'grown' : 'shrunk',
        before,
        after,
        by: after.bytes - before.bytes,
      });
    else if (
      (before.hash ?? '') !== (after.hash ?? '') ||
      (!after.hash && JSON.stringify({ ...before, source: 0, recipe: 0 }) !== JSON.stringify({ ...after, source: 0, recipe: 0 }))
    )
      out.push({ path: after.path, change: 'changed', before, after, by: 0 });
  }
  for (const before of older.files)
    if (!newer.byPath.has(before.path)) out.push({ path: before.path, change: 'removed', before, after: null, by: -before.bytes });
  return out.sort((a, b) => Math.abs(b.by) - Math.abs(a.by) || (a.path < b.path ? -1 : 1));
}

/** @param {{ roots: import('./data.js').Root[], site: any, main: HTMLElement, signal: AbortSignal, open: (path: string) => void }} context */
export async function open({ roots, site, main, signal, open: openPath }) {
  const newer = roots[0],
    older = roots.find((root) => root.id === site.compare) ?? roots[1];
  if (older.files.length === 0) await older.load();
  const changes = changesOf(older, newer),
    kinds = /** @type {const} */ (['added', 'removed', 'grown', 'shrunk', 'changed']);
  const total = (/** @type {import('./data.js').Root} */ root) => root.files.reduce((sum, file) => sum + file.bytes, 0);
  const signed = (/** @type {number} */ bytes) => `${bytes > 0 ? '+' : ''}${size(bytes)}`;
  const holder = el('div', { class: 'grow' }),
    pictures = el(
      'section',
      { class: 'card wide' },
      el('h3', { text: 'Pictures' }),
      el('p', { class: 'soft', text: 'Choose a changed texture.' }),
    );
  /** @type {{ destroy: () => void } | null} */
  let pair = null;
  const fill = (/** @type {string} */ kind) => {
    const list = changes.filter((one) => kind === '' || one.change === kind);
    holder.replaceChildren(
      list.length === 0
        ? el('p', { class: 'soft', text: 'None.' })
        : table(
            ['Asset', 'Change', 'Before', 'After', 'Difference'],
            list.slice(0, MOST_ROWS).map((one) => [
              el('button', {
                type: 'button',
                class: 'link',
                text: one.path,
                onclick: () => {
                  if (one.before?.kind === 'texture' && one.after?.kind === 'texture') show(one);
                  else if (one.after) openPath(one.path);
                },
              }),
              one.change,
              one.before ? size(one.before.bytes) : '',
              one.after ? size(one.after.bytes) : '',
              one.by ? signed(one.by) : '',
            ]),
            'Changes',
          ),
    );
  };
  const show = async (/** @type {Change} */ one) => {
    pair?.destroy();
    pair = null;
    pictures.replaceChildren(el('h3', { text: one.path }), el('p', { text: 'Reading …' }));
    try {
      pair = await showPair(pictures, one, older, newer, signal, openPath);
    } catch (error) {
      if (!signal.aborted) pictures.replaceChildren(el('h3', { text: one.path }), problemBox(pageError(error, one.path)));
    }
  };
  fill('');
  main.replaceChildren(
    el(
      'div',
      { class: 'report' },
      el(
        'section',
        { class: 'card wide' },
        el(
          'div',
          { class: 'numbers' },
          kinds.map((kind) =>
            el(
              'div',
              {},
              el('b', { text: String(changes.filter((one) => one.change === kind).length) }),
              el('span', { class: 'soft', text: kind }),
            ),
          ),
          el(
            'div',
            {},
            el('b', { text: size(total(newer)) }),
            el('span', {
              class: 'soft',
              text: `${newer.info.label}, ${signed(total(newer) - total(older)) || 'as before'} against ${older.info.label}`,
            }),
          ),
        ),
      ),
      el(
        'section',
        { class: 'card wide list' },
        el(
          'h3',
          {},
          counted(changes.length, 'change'),
          segmented('Changes', [{ value: '', text: 'All' }, ...kinds.map((kind) => ({ value: kind, text: kind }))], '', fill),
        ),
        holder,
      ),
      pictures,
    ),
  );
  const first = changes.find((one) => one.before?.kind === 'texture' && one.after?.kind === 'texture');
  if (first) show(first);
  return { key: () => false, update: async () => false, destroy: () => pair?.destroy() };
}

/**
 * @param {HTMLElement} place
 * @param {Change} one
 * @param {import('./data.js').Root} older
 * @param {import('./data.js').Root} newer
 * @param {AbortSignal} signal
 * @param {(path: string) => void} openPath
 */
async function showPair(place, one, older, newer, signal, openPath) {
  const decode = async (/** @type {import('./data.js').Root} */ root) =>
    run('image', one.path, { bytes: await root.read(one.path, signal), index: {}, as: '' });
  const [before, after] = await Promise.all([decode(older), decode(newer)]),
    same = before.width === after.width && before.height === after.height && before.half === after.half;
  signal.throwIfAborted();
  const titles = [older.info.label, newer.info.label, 'difference'],
    panes = titles
      .slice(0, same ? 3 : 2)
      .map((title) => ({ title, canvas: el('canvas', { tabindex: 0, role: 'img', 'aria-label': `${one.path}, ${title}` }) }));
  const metrics = el('p', {
    class: 'soft',
    text: same ? '' : `${before.width} × ${before.height} became ${after.width} × ${after.height}`,
  });
  const holder = el(
    'div',
    { class: 'panes treemap' },
    panes.map(({ title, canvas }) => el('div', { class: 'pane stage' }, canvas, el('div', { class: 'note', text: title }))),
  );
  place.replaceChildren(
    el('h3', {}, one.path, el('span', {}, el('button', { type: 'button', text: 'Open', onclick: () => openPath(one.path) }))),
    metrics,
    holder,
  );
  const views = panes.map(({ canvas }, i) => {
    const view = new TextureCanvas(canvas),
      picture = (/** @type {any} */ image) => ({ ...image, srgb: image.about.srgb });
    view.size = [after.width, after.height];
    view.setPicture(0, picture(i === 1 || i === 2 ? after : before));
    if (i === 2) {
      view.setPicture(1, picture(before));
      view.state.mode = 'difference';
    }
    view.fit();
    return view;
  });
  panes.forEach(({ canvas }) => handleMoves(views, canvas, () => {}));
  if (same && !before.half) {
    const found = await run('compare', one.path, {
      a: before.data,
      b: after.data,
      width: before.width,
      height: before.height,
      channels: after.about.channels,
    });
    metrics.textContent = `PSNR ${decibels(found.psnr)}, SSIM ${found.ssim?.toFixed(5) ?? 'too large'}`;
  }
  return { destroy: () => views.forEach((view) => view.destroy()) };
}
