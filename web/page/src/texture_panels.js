// What the inspector says about a texture: its levels, the memory of what it becomes, and its metadata.
import { el, table } from './dom.js';
import { size } from './format.js';

/** Bits of a texel of what UASTC and ETC1S become. */
const BECOMES = /** @type {const} */ ([
  ['BC7, ASTC 4x4, BC3, ETC2 RGBA', 8],
  ['BC1, ETC2 RGB, ETC1', 4],
  ['RGBA8', 32],
]);

/**
 * @param {import('./inspector.js').Inspector} inspector
 * @param {any} about of worker.js
 * @param {(level: number) => void} showLevel
 * @returns {HTMLElement} the table of levels
 */
export function showTexturePanels(inspector, about, showLevel) {
  const rows = about.header.levels.map((/** @type {any} */ level, /** @type {number} */ i) => [
    el('button', { type: 'button', class: 'link', text: String(i), title: `Show level ${i}`, onclick: () => showLevel(i) }),
    `${Math.max(1, about.width >> i)} × ${Math.max(1, about.height >> i)}`,
    size(level.bytes),
    size(level.inflated || level.bytes),
  ]);
  const levels = table(['Level', 'Extent', 'On disk', 'In memory'], rows, 'Levels');
  levels.querySelector('tbody tr')?.classList.add('pressed');
  inspector.section('Levels', levels);
  if (about.model === 'uastc' || about.model === 'etc1s') {
    let texels = 0;
    for (let i = 0; i < about.levels; ++i)
      texels +=
        Math.ceil(Math.max(1, about.width >> i) / 4) *
        Math.ceil(Math.max(1, about.height >> i) / 4) *
        16 *
        Math.max(1, about.depth >> i) *
        about.layers *
        about.faces;
    inspector.section(
      'Video memory as',
      table(
        ['Format', 'All levels'],
        BECOMES.map(([name, bits]) => [name, size((texels * bits) / 8)]),
        'Video memory by format',
      ),
    );
  }
  if (about.keys.length > 0) inspector.section('Metadata', table(['Key', 'Value'], about.keys, 'Metadata'));
  return levels;
}
