// The column beside the view: facts, tables, links, and problems of the asset.
import { byId, el, facts, problemBox } from './dom.js';
import { count, counted, duration, familyOf, folderOf, kindName, nameOf, short, size } from './format.js';
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

/** @param {FileFact} file @returns {[string, any][]} */
function valuesOf(file) {
  if (file.kind === 'font' && file.width)
    return [
      ['Name', file.name],
      ['Characters', count(file.characters)],
      ['Glyphs', count(file.glyphs)],
      ['Kerning pairs', count(file.kerning_pairs)],
      ['Atlas', `${file.width} × ${file.height} texels`],
      ['Size', `${short(file.size)} texels per em`],
      ['Range', `${short(file.range)} texels`],
    ];
  if (file.width) {
    return [
      ['Extent', [`${file.width} × ${file.height}`, file.depth > 1 ? ` × ${file.depth}` : ''].join('')],
      ['Levels', file.levels],
      ['Layers', file.layers > 0 ? file.layers : undefined],
      ['Faces', file.faces > 1 ? file.faces : undefined],
      ['Format', file.format],
      ['Color space', file.colorspace],
      ['Compression', file.supercompression === 'none' ? undefined : file.supercompression],
    ];
  }
  if (file.kind === 'mesh') {
    const extent = file.aabb_min?.map((/** @type {number} */ low, /** @type {number} */ i) =>
      short(Number((file.aabb_max[i] - low).toPrecision(4))),
    );
    return [
      ['Container', file.container],
      ['Vertices', file.vertices ? count(file.vertices) : undefined],
      ['Triangles', count(file.triangles)],
      ['Meshlets', file.meshlets ? count(file.meshlets) : undefined],
      ['Clusters', count(file.clusters)],
      ['Groups', count(file.groups)],
      ['Pages', count(file.pages)],
      ['Submeshes', count(file.submeshes)],
      ['Materials', count(file.materials)],
      ['Levels below', count(file.lods)],
      ['Joints', file.joints || undefined],
      ['Morph targets', file.morph_targets || undefined],
      ['Lines, points', file.lines || file.points ? `${count(file.lines)}, ${count(file.points)}` : undefined],
      ['Index', file.index_width ? `${8 * file.index_width} bits` : undefined],
      ['Tangents', file.tangents === undefined ? undefined : file.tangents ? 'yes' : 'no'],
      ['Attributes', file.attributes?.join(', ')],
      ['Extent', extent?.join(' × ')],
    ];
  }
  if (file.kind === 'scene')
    return [
      ['Nodes', count(file.nodes)],
      ['Meshes', count(file.meshes)],
      ['Instances', count(file.instances)],
      ['Materials', count(file.materials)],
      ['Skins', file.skins || undefined],
      ['Cameras', file.cameras || undefined],
      ['Lights', file.lights || undefined],
      ['Variants', file.variants || undefined],
      ['Clips', file.clips?.length || undefined],
    ];
  if (file.kind === 'material')
    return [
      ['Materials', file.materials],
      ['Opaque', file.opaque || undefined],
      ['Mask', file.mask || undefined],
      ['Blend', file.blend || undefined],
      ['Double-sided', file.double_sided || undefined],
    ];
  if (file.kind === 'shader')
    return [
      ['Version', file.version],
      ['Entry point', file.entry_point],
      ['Words', count(file.words)],
      ['Work group', file.workgroup_size?.join(' × ')],
      ['Push constants', file.push_constant_bytes ? counted(file.push_constant_bytes, 'byte') : undefined],
    ];
  if (file.kind === 'animation') return [['Clips', file.clips?.length]];
  if (file.kind === 'manifest') return [['Entries', count(file.entries)]];
  if (file.kind === 'asset' && file.desc) return Object.entries(file.desc).map(([name, value]) => [name, describe(value)]);
  return [];
}

/** A value of a Desc, for people. @param {any} value @returns {string} */
function describe(value) {
  if (Array.isArray(value)) return value.map(describe).join(', ');
  if (value === null || typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([name, one]) => `${name} ${describe(one)}`)
    .join('; ');
}
