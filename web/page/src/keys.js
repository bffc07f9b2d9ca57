// Keys of the page, and the list of them.
import { byId, el } from './dom.js';

const KEYS = [
  ['/', 'Search'],
  ['↑ ↓', 'Previous and next asset'],
  ['→ ←', 'Open and close a folder'],
  ['1 … 9', 'Level of detail: 1 is the largest texture, the full mesh, or level 0 of clusters'],
  ['f', 'Fit the asset into the view'],
  ['+ −', 'Zoom, when the picture has the focus'],
  ['r g b a', 'Channels of a texture'],
  ['w', 'Wireframe of a model'],
  ['b', 'Bounds of a model, or boxes of glyphs in an atlas'],
  ['m', 'Meshlets or clusters of a model in colors'],
  ['Space', 'Play or pause the clip of a model'],
  ['?', 'These keys'],
];

export function keyHelp() {
  const dialog = byId('keys');
  dialog.replaceChildren(
    el('h2', { text: 'Keys' }),
    el(
      'div',
      { class: 'key-list' },
      KEYS.flatMap(([keys, text]) => [
        el(
          'span',
          {},
          keys.split(' ').map((key) => (key === '…' ? ' … ' : el('kbd', { text: key }))),
        ),
        el('span', { text }),
      ]),
    ),
    el('button', { type: 'button', text: 'Close', autofocus: true, onclick: () => dialog.close() }),
  );
  dialog.showModal();
}

/** @param {any} app */
export function setUpKeys(app) {
  addEventListener('keydown', (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || byId('keys').open) return;
    if (
      /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) &&
      !(target instanceof HTMLInputElement && target.type === 'range' && !/^Arrow/.test(event.key))
    )
      return;
    if (event.key === '/') {
      app.drawer(true);
      byId('search').focus();
      byId('search').select();
    } else if (event.key === '?') keyHelp();
    else if (event.key === 'Escape') app.drawer(false);
    else if (event.key === ' ' && target.tagName === 'BUTTON') return;
    else if (app.view?.key(event)) {
      /* used */
    } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && (target === document.body || target.id === 'main'))
      app.list.tree.key(event);
    else return;
    event.preventDefault();
  });
}
