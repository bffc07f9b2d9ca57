// The frame of the page: colors, the widths of the columns, the page without data, and the bar of errors.
import { byId, el } from './dom.js';

/** Cycles through the colors of the system, dark and light, and remembers the choice. */
export function setUpTheme() {
  const button = byId('theme'),
    names = { auto: '◐', dark: '☾', light: '☀' };
  const set = (/** @type {keyof typeof names} */ theme) => {
    document.documentElement.dataset.theme = theme;
    button.textContent = names[theme];
    button.setAttribute('aria-label', theme === 'auto' ? 'Colors: as the system' : `Colors: ${theme}`);
    dispatchEvent(new Event('assetc-theme'));
  };
  const order = /** @type {(keyof typeof names)[]} */ (Object.keys(names));
  let theme = order.find((one) => one === localStorage.getItem('assetc-theme')) ?? 'auto';
  set(theme);
  button.addEventListener('click', () => {
    theme = order[(order.indexOf(theme) + 1) % order.length];
    localStorage.setItem('assetc-theme', theme);
    set(theme);
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => dispatchEvent(new Event('assetc-theme')));
}

export function setUpSplitters() {
  for (const [id, property, sign] of /** @type {const} */ ([
    ['split-left', '--left', 1],
    ['split-right', '--right', -1],
  ])) {
    const splitter = byId(id),
      body = byId('body');
    splitter.addEventListener('pointerdown', (/** @type {PointerEvent} */ event) => {
      const side = byId(sign === 1 ? 'assets' : 'inspector'),
        width = side.clientWidth,
        from = event.clientX;
      splitter.setPointerCapture(event.pointerId);
      splitter.onpointermove = (/** @type {PointerEvent} */ move) =>
        body.style.setProperty(property, `${Math.min(720, Math.max(180, width + sign * (move.clientX - from)))}px`);
      splitter.onpointerup = () => {
        splitter.onpointermove = null;
      };
    });
  }
}

/** The page without data waits for files. @param {(files: Map<string, File>) => void} chosen */
export function showEmptyPage(chosen) {
  const input = el('input', {
    type: 'file',
    multiple: true,
    hidden: true,
    onchange: () => {
      chosen(new Map([...(input.files ?? [])].map((file) => [file.webkitRelativePath || file.name, file])));
    },
  });
  byId('main').replaceChildren(
    el(
      'div',
      { class: 'empty' },
      el('h2', { text: 'Drop compiled files or an output folder here' }),
      el('p', { text: 'Textures (.ktx2), meshes (.hmesh, .hcluster), scenes, materials, clips, fonts (.hfont) and cooked assets. The files stay on this computer.' }),
      el('p', {}),
      el('button', { type: 'button', text: 'Choose files', onclick: () => input.click() }),
      input,
    ),
  );
}

const MOST_ERRORS = 20;

/** Errors of the last build, in a bar above everything. @param {any[]} errors */
export function showErrors(errors) {
  const bar = byId('bar');
  bar.hidden = errors.length === 0;
  const rows = errors
    .slice(0, MOST_ERRORS)
    .map((error) =>
      el(
        'li',
        {},
        el('strong', { text: [error.file, error.place].filter(Boolean).join(': ') }),
        el('span', { text: error.what }),
        error.hint ? el('span', { class: 'soft', text: error.hint }) : null,
      ),
    );
  bar.replaceChildren(
    el('ul', {}, rows),
    el('button', {
      type: 'button',
      text: 'Close',
      onclick: () => {
        bar.hidden = true;
      },
    }),
  );
}
