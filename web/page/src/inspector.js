// The column beside the view: facts, tables, links, and problems of the asset.
import { byId, el, facts, problemBox } from './dom.js';
import { count, duration, familyOf, folderOf, kindName, nameOf, short, size } from './format.js';
import { icon } from './icons.js';
import { showThumbnail } from './thumbnails.js';

/**
 * @typedef {import('./data.js').Root} Root
 * @typedef {import('./data.js').FileFact} FileFact
 */

/** The bytes that a file needs in memory of the GPU, as far as its facts say. @param {FileFact} file @returns {number} */
export function memoryOf(file) {
  if (file.kind === 'texture') return file.inflated_bytes ?? file.bytes;
  if (file.kind === 'mesh') return file.decoded_bytes ?? file.bytes;
  if (file.kind === 'asset' && /^(Texture|Mesh)/.test(file.type ?? '')) return file.bytes;
  return 0;
}

export class Inspector {
  constructor() {
    this.element = byId('inspector');
  }

  clear() {
    this.element.replaceChildren();
  }

  /** @param {string} title @param {...(import('./dom.js').Child)} children @returns {HTMLElement} */
  section(title, ...children) {
    const section = el('section', { class: 'section' }, el('h3', { text: title }), children);
    this.element.append(section);
    return section;
  }

  /** Names the asset, and shows its problems. @param {Root} root @param {FileFact} file */
  title(root, file) {
    const name = root.nameOf(file);
    this.element.append(
      el(
        'div',
        { class: 'title' },
        el('h2', { text: nameOf(name) }),
        el('div', { class: 'path', text: [folderOf(name), name === file.path ? '' : file.path].filter(Boolean).join(' · ') }),
      ),
    );
    this.problems = el('div', {});
    this.element.append(this.problems);
    this.showProblems(root, file);
  }

  /** @param {Root} root @param {FileFact} file */
  showProblems(root, file) {
    const list = root.problemsOf(file);
    this.problems?.replaceChildren(
      ...(list.length === 0
        ? []
        : [
            el(
              'section',
              { class: 'section' },
              el('h3', { text: 'Problems' }),
              list.map((one) =>
                problemBox({
                  ...one,
                  severity: one.accepted ? 'note' : one.severity,
                  hint: one.accepted ? `accepted: ${one.accepted}` : one.hint,
                }),
              ),
            ),
          ]),
    );
  }

  /** Shows the facts again, without sections of a view. @param {Root} root @param {FileFact} file */
  refresh(root, file) {
    for (const section of this.element.querySelectorAll(':scope > .section')) section.remove();
    this.showProblems(root, file);
    this.facts(root, file);
  }

  /** What the compiler knows of the file, in place of what it knew before. @param {Root} root @param {FileFact} file */
  showFacts(root, file) {
    const before = this.known;
    if (!before?.isConnected) return;
    this.facts(root, file);
    before.replaceWith(/** @type {HTMLElement} */ (this.known));
  }

  /** What the compiler knows of the file. @param {Root} root @param {FileFact} file */
  facts(root, file) {
    const step = root.build.find(
      (line) => line.event === 'step_finished' && (file.path.startsWith(`${line.stem}.`) || file.path.startsWith(`${line.stem}/`)),
    );
    const memory = memoryOf(file);
    this.known = this.section(
      'Facts',
      facts([
        ['Kind', file.kind === 'asset' ? `${file.type ?? 'asset'} (cooked)` : kindName(file.kind)],
        ...valuesOf(file),
        [file.stored_bytes !== undefined ? 'Size' : 'On disk', el('span', { title: `${count(file.bytes)} bytes`, text: size(file.bytes) })],
        [
          'Stored',
          file.stored_bytes !== undefined
            ? `${size(file.stored_bytes)} at ${count(file.offset)}`
            : file.offset !== undefined
              ? `at ${count(file.offset)}`
              : undefined,
        ],
        ['Video memory', memory ? el('span', { title: `${count(memory)} bytes`, text: size(memory) }) : undefined],
        ['Source', file.source],
        ['Recipe', file.recipe],
        ['Last step', step ? `${duration(step.seconds)}${step.restored ? ', from the cache' : step.copied ? ', copied' : ''}` : undefined],
        ['Why it ran', step?.reason?.text],
      ]),
    );
  }

  /**
   * Links to assets.
   * @param {string} title
   * @param {Root} root
   * @param {{ path: string, note?: string, missing?: boolean }[]} links
   * @param {(path: string) => void} open
   */
  links(title, root, links, open) {
    if (links.length === 0) return;
    this.section(`${title} (${links.length})`, linkList(root, links, open));
  }
}

/** @param {Root} root @param {{ path: string, note?: string, missing?: boolean }[]} links @param {(path: string) => void} open */
export function linkList(root, links, open) {
  return el(
    'ul',
    { class: 'links' },
    links.slice(0, 300).map(({ path, note, missing }) => {
      const file = root.byPath.get(path),
        picture = el('span', { class: 'picture' }, icon(file ? familyOf(file) : 'other'));
      if (file) showThumbnail(root, file, picture);
      return el(
        'li',
        {},
        picture,
        missing || !file
          ? el('span', { class: 'soft', text: `${path} (missing)` })
          : el('button', { type: 'button', class: 'link', text: nameOf(root.nameOf(file)), title: path, onclick: () => open(path) }),
        note ? el('span', { class: 'soft', text: note }) : null,
      );
    }),
  );
}

// Members of every file, and those that the rows around the list show.
const SHOWN = new Set(
  'event path kind bytes problem source recipe hash offset stored_bytes type inflated_bytes decoded_bytes aabb_min aabb_max'.split(' '),
);

/** Everything else that `assetc info --json` tells, by its names. @param {FileFact} file @returns {[string, any][]} */
function valuesOf(file) {
  const { desc, ...members } = file,
    rows = Object.entries({ ...members, ...desc })
      .filter(([name]) => !SHOWN.has(name))
      .map(([name, value]) => /** @type {[string, any]} */ ([labelOf(name), describe(value)]));
  if (file.aabb_min)
    rows.push(['Extent', describe(file.aabb_min.map((/** @type {number} */ low, /** @type {number} */ i) => file.aabb_max[i] - low))]);
  return rows;
}

/** @param {string} name */
const labelOf = (name) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');

/** A value, for people; undefined if it is 0 or empty. @param {any} value @returns {string | undefined} */
function describe(value) {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return value === 0 ? undefined : Number.isInteger(value) ? count(value) : short(value);
  if (Array.isArray(value)) return value.map((one) => describe(one) ?? '0').join(', ') || undefined;
  if (value === null || typeof value !== 'object') return value ? String(value) : undefined;
  return (
    Object.entries(value)
      .map(([name, one]) => [name, describe(one)])
      .filter(([, text]) => text !== undefined)
      .map(([name, text]) => `${name} ${text}`)
      .join('; ') || undefined
  );
}
