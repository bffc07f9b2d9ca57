// What the inspector says about a model: levels, nodes, materials, morph targets, submeshes, attributes, joints and clips.
import { el, slider, table } from './dom.js';
import { count, duration } from './format.js';
import { linkList } from './inspector.js';

const NONE = 0xffffffff,
  MOST_ROWS = 2000,
  MOST_TARGETS = 256;

/**
 * @typedef {import('./model_load.js').Model} Model
 * @typedef {import('./inspector.js').Inspector} Inspector
 */

/** The triangles of a level. @param {Model} model @param {number} level */
export function trianglesOf({ drawn }, level) {
  return drawn.reduce((sum, { levels }) => {
    const { drawRange, index } = levels[Math.min(level, levels.length - 1)];
    return sum + Math.min(index?.count ?? 0, drawRange.count) / 3;
  }, 0);
}

/** The number of levels of detail, with the full mesh. @param {Model} model */
export const levelCountOf = ({ drawn }) => Math.max(1, ...drawn.map(({ levels }) => levels.length));

/** @param {Inspector} inspector @param {Model} model */
export function showLevels(inspector, model) {
  const levels = levelCountOf(model),
    full = Math.max(1, trianglesOf(model, 0));
  if (levels < 2) return;
  const rows = Array.from({ length: levels }, (_, i) => [
    String(i),
    count(Math.round(trianglesOf(model, i))),
    `${((100 * trianglesOf(model, i)) / full).toFixed(1)} %`,
  ]);
  inspector.section('Levels of detail', table(['Level', 'Triangles', 'Share'], rows, 'Levels of detail'));
}

/**
 * The nodes of a scene as a tree of buttons.
 * @param {Inspector} inspector
 * @param {Model} model
 * @param {(node: number) => void} select
 * @returns {HTMLButtonElement[]}
 */
export function showNodes(inspector, { parts }, select) {
  if (!parts) return [];
  /** @type {number[]} */
  const depths = [];
  for (const node of parts.nodes) depths.push(node.parent === -1 ? 0 : depths[node.parent] + 1);
  const buttons = parts.nodes.slice(0, MOST_ROWS).map((/** @type {any} */ node, /** @type {number} */ n) => {
    const mesh = node.mesh === NONE || parts.meshes[node.mesh].name === node.name ? '' : ` · ${parts.meshes[node.mesh].name || 'mesh'}`;
    const text = `${node.name || `node ${n}`}${mesh}${node.light === NONE ? '' : ' · light'}${node.camera === NONE ? '' : ' · camera'}`;
    return el('button', {
      type: 'button',
      role: 'treeitem',
      'aria-level': depths[n] + 1,
      'aria-selected': 'false',
      style: { paddingLeft: `${4 + 12 * depths[n]}px` },
      text,
      onclick: () => select(n),
    });
  });
  inspector.section(`Nodes (${count(parts.nodes.length)})`, el('div', { class: 'nodes', role: 'tree', 'aria-label': 'Nodes' }, buttons));
  return buttons;
}

/** @param {Inspector} inspector @param {Model} model @param {import('./data.js').Root} root @param {(path: string) => void} open */
export function showMaterials(inspector, { materials }, root, open) {
  if (materials.length === 0) return;
  const section = inspector.section(`Materials (${materials.length})`);
  for (const { name, file, row, textures } of materials) {
    const title = file
      ? el('button', { type: 'button', class: 'link', text: name, title: `${file}, row ${row}`, onclick: () => open(file) })
      : el('span', { text: `${name} (no file)` });
    section.append(
      el(
        'div',
        { class: 'material' },
        title,
        linkList(
          root,
          textures.map((texture) => ({ path: texture.path, note: texture.name.replace(/Tex$/, '') })),
          open,
        ),
      ),
    );
  }
}

/**
 * Sliders of the first mesh with morph targets.
 * @param {Inspector} inspector
 * @param {Model} model
 * @param {() => void} moved
 * @returns {() => void} shows the weights that a clip has set
 */
export function showMorphs(inspector, { drawn }, moved) {
  const first = drawn.find(({ object }) => object.morphTargetInfluences?.length > 0);
  if (!first) return () => {};
  const { object, mesh } = first;
  /** @type {ReturnType<typeof slider>[]} */
  const inputs = mesh.targets.slice(0, MOST_TARGETS).map((/** @type {any} */ target, /** @type {number} */ t) =>
    slider(
      target.name || `target ${t}`,
      { min: 0, max: 1, step: 0.01, value: object.morphTargetInfluences[t], show: (value) => value.toFixed(2) },
      (value) => {
        for (const other of drawn) if (other.mesh === mesh) other.object.morphTargetInfluences[t] = value;
        moved();
      },
    ),
  );
  inspector.section(`Morph targets (${mesh.targets.length})`, el('div', { class: 'sliders' }, inputs));
  return () => inputs.forEach(({ set }, t) => set(object.morphTargetInfluences[t]));
}

/** The parts of a mesh. @param {Inspector} inspector @param {Model} model */
export function showParts(inspector, { drawn: [first], parts, clips }) {
  if (!parts && first?.mesh) {
    const { mesh } = first;
    const submeshes = mesh.submeshes
      .slice(0, MOST_ROWS)
      .map((/** @type {any} */ part, /** @type {number} */ i) => [
        part.name || String(i),
        part.material === NONE ? 'none' : mesh.materialNames[part.material] || String(part.material),
        count(part.indexCount / 3),
      ]);
    inspector.section('Submeshes', table(['Submesh', 'Material', 'Triangles'], submeshes, 'Submeshes'));
    const attributes = Object.entries(first.levels[0].attributes).map(([name, attribute]) => [
      name,
      attribute.itemSize,
      /** @type {any} */ (attribute).array.constructor.name.replace('Array', ''),
    ]);
    inspector.section('Attributes', table(['Attribute', 'Components', 'Type'], attributes, 'Vertex attributes'));
    const joints = mesh.skeleton
      .slice(0, MOST_ROWS)
      .map((/** @type {any} */ joint, /** @type {number} */ i) => [
        joint.name || String(i),
        joint.parent === -1 ? '' : mesh.skeleton[joint.parent].name || joint.parent,
      ]);
    if (joints.length > 0) inspector.section('Joints', table(['Joint', 'Parent'], joints, 'Joints'));
  }
  if (clips.length > 0)
    inspector.section(
      'Clips',
      table(
        ['Clip', 'Length', 'Tracks'],
        clips.map((clip) => [clip.name || '(no name)', duration(clip.duration), clip.tracks.length]),
        'Clips',
      ),
    );
}
