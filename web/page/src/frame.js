// The frame of the page: colors, and the widths of the columns.
import { byId } from './dom.js';

/** Cycles through the colors of the system, dark and light, and remembers the choice. */
export function setUpTheme() {
  const button = byId('theme'), names = { auto: '◐', dark: '☾', light: '☀' };
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
  for (const [id, property, sign] of /** @type {const} */ ([['split-left', '--left', 1], ['split-right', '--right', -1]])) {
    const splitter = byId(id), body = byId('body');
    splitter.addEventListener('pointerdown', (/** @type {PointerEvent} */ event) => {
      const side = byId(sign === 1 ? 'assets' : 'inspector'), width = side.clientWidth, from = event.clientX;
      splitter.setPointerCapture(event.pointerId);
      splitter.onpointermove = (/** @type {PointerEvent} */ move) => body.style.setProperty(property, `${Math.min(720, Math.max(180, width + sign * (move.clientX - from)))}px`);
      splitter.onpointerup = () => { splitter.onpointermove = null; };
    });
  }
}
