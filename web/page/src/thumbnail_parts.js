// What a thumbnail of a model, a material or a font needs beside its own file: materials, small levels of textures, and meshes of scenes.
import { run } from './jobs.js';
import { smallLevels } from './ktx2_wrap.js';

/** Of larger .ktx2 files only these first bytes are read: the smallest levels come first. */
const HEAD_BYTES = 64 << 10;
/** Files above this get no thumbnail if their head does not suffice. */
const MAX_BYTES = 16 << 20;
/** Of larger files with clusters, only these first bytes are read: they have the coarse clusters. */
const CLUSTER_HEAD_BYTES = 512 << 10;
/** Textures above this are left out, if they have no head. */
const MAX_TEXTURE_BYTES = 2 << 20;
const MOST_TEXTURES = 16,
  MOST_MESHES = 32,
  MOST_INSTANCES = 400;
const NONE = 0xffffffff;

/**
 * @typedef {import('./data.js').Root} Root
 * @typedef {import('./data.js').FileFact} FileFact
 * @typedef {{ color: number[], cutoff: number, unlit: boolean, isClear: boolean, texture: { bytes: Uint8Array<ArrayBuffer>, path: string } | null }} SurfaceFile
 */

/**
 * The bytes of a texture with at least the small levels.
 * @param {Root} root
 * @param {FileFact} file
 * @param {AbortSignal} signal
 */
export async function smallest(root, file, signal) {
  if (file.bytes > HEAD_BYTES && file.path.endsWith('.ktx2')) {
    const head = await root.readHead(file.path, HEAD_BYTES, signal),
      small = head.length < file.bytes ? smallLevels(head) : head;
    if (small) return small;
  }
  if (file.bytes > MAX_BYTES) throw new Error('the file is too large for a thumbnail');
  return root.read(file.path, signal);
}

/** Collects what one thumbnail needs. */
export class Parts {
  /** @param {Root} root @param {import('./links.js').Links} links @param {AbortSignal} signal */
  constructor(root, links, signal) {
    this.root = root;
    this.links = links;
    this.signal = signal;
    this.textures = 0;
    /** @type {Map<string, Promise<any>>} */
    this.requested = new Map();
  }

  /** Reads a file with an operation of the worker. @param {string} op @param {string} path @returns {Promise<any>} */
  parse(op, path) {
    const key = `${op} ${path}`;
    let promise = this.requested.get(key);
    if (!promise) {
      promise = this.root
        .read(path, this.signal)
        .then((bytes) => run(op, path, { bytes }, { transfer: [bytes.buffer], urgent: false, signal: this.signal }));
      this.requested.set(key, promise);
    }
    return promise;
  }

  /**
   * @param {string | null | undefined} path of the texture of the base color
   * @returns {Promise<SurfaceFile['texture']>}
   */
  async texture(path) {
    const file = path ? this.root.byPath.get(path) : null;
    if (!file || file.problem || ++this.textures > MOST_TEXTURES) return null;
    if (!file.path.endsWith('.ktx2') && file.bytes > MAX_TEXTURE_BYTES) return null;
    try {
      return { bytes: await smallest(this.root, file, this.signal), path: file.path };
    } catch {
      return null;
    }
  }

  /** @param {any} row @param {string | null | undefined} texture @returns {Promise<SurfaceFile>} */
  async surface(row, texture) {
    const cutoff = row.alphaMode === 'opaque' ? 0 : row.alphaMode === 'mask' ? row.alphaCutoff : 0.5;
    const color = row.baseColor.slice(0, 3).map((/** @type {number} */ value, /** @type {number} */ i) => value + 0.5 * row.emissive[i]);
    const isClear = row.alphaMode === 'blend' && row.baseColor[3] < 0.5;
    return { color, cutoff, unlit: row.unlit, isClear, texture: await this.texture(texture) };
  }

  /** The surface of a row of a .hmat. @param {string} path @param {number} number @returns {Promise<SurfaceFile | null>} */
  async row(path, number) {
    const row = (await this.parse('materials', path))[number];
    if (!row) return null;
    const hash = row.textures[0].hash;
    return this.surface(row, hash === 0n ? null : (await this.links.hashes()).get(hash)?.path);
  }

  /** The surface of a cooked material. @param {string} uuid @returns {Promise<SurfaceFile | null>} */
  async cooked(uuid) {
    const path = this.pathOf(uuid);
    if (!path) return null;
    const { row, textures } = await this.parse('cookedMaterial', path),
      base = textures.find((/** @type {any} */ texture) => texture.name === 'BaseColorTex');
    return this.surface(row, base ? this.pathOf(base.uuid) : null);
  }

  /** The file of a cooked asset. @param {string} uuid */
  pathOf(uuid) {
    return [this.root.assetOf(uuid)?.CookedPath ?? '', uuid, `Assets/${uuid}.bin`].find((path) => this.root.byPath.has(path)) ?? null;
  }

  /** The bytes of a mesh; of one with clusters, those of coarse ones. @param {FileFact} file */
  async mesh(file) {
    const isClusters = file.path.endsWith('.hcluster') || file.type === 'Clusters';
    if (isClusters && file.bytes > CLUSTER_HEAD_BYTES)
      return { bytes: await this.root.readHead(file.path, CLUSTER_HEAD_BYTES, this.signal), size: file.bytes, isClusters };
    if (file.bytes > MAX_BYTES) throw new Error('the file is too large for a thumbnail');
    const bytes = await this.root.read(file.path, this.signal);
    return { bytes, size: bytes.length, isClusters };
  }
}

/**
 * The picture of a file that is no texture.
 * @param {Root} root
 * @param {import('./links.js').Links} links
 * @param {FileFact} file
 * @param {string} family
 * @param {number} size in pixels
 * @param {AbortSignal} signal
 * @returns {Promise<any>} null: there is none
 */
export async function pictureOf(root, links, file, family, size, signal) {
  const parts = new Parts(root, links, signal),
    options = { urgent: false, signal };
  if (family === 'font') {
    const bytes = await root.read(file.path, signal),
      font = await run('font', file.path, { bytes }, options),
      path = (await links.hashes()).get(font.texture)?.path ?? file.path.replace(/\.[^./]+$/, '.atlas.ktx2');
    if (!root.byPath.has(path)) return null;
    return run('fontThumbnail', file.path, { bytes, atlas: await root.read(path, signal), size }, options);
  }
  if (family === 'material') {
    const surface = file.kind === 'asset' ? await parts.cooked(file.path) : await parts.row(file.path, 0);
    return surface ? run('materialThumbnail', file.path, { surface, size }, options) : null;
  }
  if (family === 'mesh') {
    const mesh = await parts.mesh(file),
      isCooked = file.kind === 'asset';
    /** @type {(SurfaceFile | null)[]} */
    let surfaces = [];
    const rows = isCooked ? null : links.materialsOf(file.path);
    if (isCooked) {
      const uuids = await run('meshMaterials', file.path, mesh, options);
      surfaces = await Promise.all(uuids.map((/** @type {string} */ uuid) => parts.cooked(uuid).catch(() => null)));
    } else if (rows) {
      const count = (await parts.parse('materials', rows)).length;
      surfaces = await Promise.all(Array.from({ length: Math.min(count, 64) }, (_, i) => parts.row(rows, i).catch(() => null)));
    }
    return run('modelThumbnail', file.path, { meshes: [{ ...mesh, path: file.path, isCooked, matrices: null }], surfaces, size }, options);
  }
  if (family === 'scene' && file.kind !== 'asset') return scenePicture(parts, file, size);
  return null;
}

/** @param {Parts} parts @param {FileFact} file @param {number} size */
async function scenePicture(parts, file, size) {
  const { root, links, signal } = parts,
    scene = await parts.parse('scene', file.path),
    files = await links.hashes();
  const used = await run('sceneInstances', file.path, { nodes: scene.nodes, most: MOST_INSTANCES }, { urgent: false, signal });
  let budget = MAX_BYTES;
  const meshes = [];
  for (const [number, matrices] of used.slice(0, MOST_MESHES)) {
    const path = number === NONE ? null : files.get(scene.meshes[number]?.hash ?? 0n)?.path,
      of = path ? root.byPath.get(path) : null;
    if (!of || of.bytes > budget) continue;
    budget -= Math.min(of.bytes, of.path.endsWith('.hcluster') ? CLUSTER_HEAD_BYTES : of.bytes);
    meshes.push({ ...(await parts.mesh(of)), path: of.path, isCooked: false, matrices });
  }
  if (meshes.length === 0) return null;
  const surfaces = await Promise.all(
    scene.materials.slice(0, 256).map(async (/** @type {any} */ material) => {
      const rows = files.get(material.hash)?.path;
      return rows ? parts.row(rows, material.row).catch(() => null) : null;
    }),
  );
  return run('modelThumbnail', file.path, { meshes, surfaces, size }, { urgent: false, signal });
}
