// Clusters and fonts, read by readers.wasm: the compiler's own readers. web/page/native has its interface.
import { compile, Instance } from '../../codec/src/module.js';
import { readSkeleton } from '../../three/src/hmesh.js';
import { Reader } from '../../three/src/reader.js';
import { AssetcError } from '@assetc/codec';
import { uuidText } from './aas1_model.js';

/** Each open file has an instance of its own: a trap ends no other file, and its memory is freed with it. */
export class Readers {
  /** @param {WebAssembly.Module} module */
  constructor(module) {
    this.module = module;
  }

  /** @param {import('../../codec/index.d.ts').WasmSource} source of readers.wasm */
  static async load(source) {
    return new Readers(await compile(source, /** @type {URL} */ (source)));
  }

  /**
   * Opens a .hcluster or a cooked asset with clusters.
   * @param {Uint8Array} bytes of the file, or its first bytes: then clusters of pages that are not whole are missing
   * @param {string} file for errors
   * @param {number} [size] of the whole file
   */
  clusters(bytes, file, size = bytes.length) {
    return new Clusters(new Instance(this.module), bytes, file, size);
  }

  /** @param {Uint8Array} bytes @param {string} file for errors */
  font(bytes, file) {
    return new Font(new Instance(this.module), bytes, file);
  }
}

/** An instance with the name of its file in errors. */
class Opened {
  /** @param {Instance} instance @param {string} file */
  constructor(instance, file) {
    this.instance = instance;
    this.file = file;
  }

  /** @param {string} name @param {...number} args */
  call(name, ...args) {
    try {
      return this.instance.call(name, ...args);
    } catch (/** @type {any} */ error) {
      throw new AssetcError(error.what ?? error.message, {
        code: error.code,
        place: error.place ? `${this.file}: ${error.place}` : this.file,
        hint: error.hint,
        cause: error,
      });
    }
  }

  /** @param {number} at @param {number} count numbers of 64 bits @returns {number[]} */
  numbers(at, count) {
    return [...new Float64Array(this.instance.exports.memory.buffer, at, count)];
  }

  /**
   * A copy of values.
   * @template {new (buffer: ArrayBuffer) => any} T
   * @param {T} Type
   * @param {number} at
   * @param {number} size in bytes
   * @returns {InstanceType<T>}
   */
  copy(Type, at, size) {
    return new Type(this.instance.bytes(at, size).slice().buffer);
  }
}

/**
 * The tables of a file with clusters.
 * @typedef {object} ClusterFacts
 * @property {number} sourceTriangles
 * @property {number} triangles of all clusters
 * @property {number} clusters
 * @property {number} groups
 * @property {number} pages
 * @property {number} loadedPages
 * @property {number} positionError a distance
 * @property {{ min: number[], max: number[], center: number[], radius: number }} bounds
 * @property {{ center: number[], radius: number } | null} pose a sphere around all poses of a mesh that moves
 * @property {{ triangles: number, clusters: number }[]} levels the full mesh first
 * @property {bigint[]} materials hashes of refs
 * @property {string[]} uuids of materials of a cooked asset
 * @property {any[]} skeleton joints, as in a Hmesh
 * @property {{ name: string, weight: number }[]} targets morph targets
 * @property {{ semantic: number, set: number, components: number, bits: number, error: number }[]} channels
 */

/**
 * The vertices of a page, and its clusters. Arrays of attributes that the mesh does not have are empty.
 * @typedef {{ clusters: Uint32Array, positions: Float32Array, normals: Float32Array, tangents: Float32Array, texcoords: Float32Array,
 *   colors: Float32Array, joints: Uint16Array, weights: Float32Array, indices: Uint32Array, materials: Uint32Array }} ClusterPage
 */

/** Numbers of a row of ClusterPage.clusters: group, level, refined group, first vertex, vertices, first triangle, triangles, 0. */
export const CLUSTER_ROW = 8;
const CHANNEL = 32,
  TARGET = 12;

export class Clusters extends Opened {
  /** @param {Instance} instance @param {Uint8Array} bytes @param {string} file @param {number} size */
  constructor(instance, bytes, file, size) {
    super(instance, file);
    this.handle = this.call('clusters_open', instance.copyIn(bytes), bytes.length, size);
    this.facts = this.readFacts();
  }

  /** @returns {ClusterFacts} */
  readFacts() {
    const at = this.call('clusters_info', this.handle),
      n = this.numbers(at, 36),
      [levels, hashes, uuids, joints, names, channels, targets] = Array.from({ length: 7 }, (_, i) => [n[22 + 2 * i], n[23 + 2 * i]]);
    const rows = this.copy(Uint32Array, levels[0], levels[1]),
      ids = this.copy(Uint8Array, uuids[0], uuids[1]),
      skeleton = readSkeleton(new Reader(this.copy(Uint8Array, joints[0], joints[1]), this.file, 'SKEL')),
      ranges = this.copy(Uint32Array, names[0], names[1]),
      table = new DataView(this.copy(Uint8Array, channels[0], channels[1]).buffer),
      rowsOfTargets = new DataView(this.copy(Uint8Array, targets[0], targets[1]).buffer);
    skeleton.forEach((joint, i) => {
      if (2 * i + 1 < ranges.length) joint.name = this.instance.text(ranges[2 * i], ranges[2 * i + 1]);
    });
    return {
      sourceTriangles: n[0],
      triangles: n[1],
      clusters: n[2],
      groups: n[4],
      pages: n[5],
      loadedPages: n[6],
      positionError: n[7],
      bounds: { min: n.slice(8, 11), max: n.slice(11, 14), center: n.slice(14, 17), radius: n[17] },
      pose: n[21] < 0 ? null : { center: n.slice(18, 21), radius: n[21] },
      levels: Array.from({ length: rows.length / 2 }, (_, i) => ({ triangles: rows[2 * i], clusters: rows[2 * i + 1] })),
      materials: [...this.copy(BigUint64Array, hashes[0], hashes[1])],
      uuids: Array.from({ length: ids.length / 16 }, (_, i) => uuidText(ids.subarray(16 * i, 16 * i + 16))),
      skeleton,
      targets: Array.from({ length: rowsOfTargets.byteLength / TARGET }, (_, i) => ({
        name: this.instance.text(rowsOfTargets.getUint32(TARGET * i, true), rowsOfTargets.getUint32(TARGET * i + 4, true)),
        weight: rowsOfTargets.getFloat32(TARGET * i + 8, true),
      })),
      channels: Array.from({ length: table.byteLength / CHANNEL }, (_, i) => ({
        semantic: table.getUint16(CHANNEL * i, true),
        set: table.getUint16(CHANNEL * i + 2, true),
        components: table.getUint8(CHANNEL * i + 4),
        bits: table.getUint8(CHANNEL * i + 5),
        error: table.getFloat32(CHANNEL * i + 28, true),
      })),
    };
  }

  /**
   * Sets the weights of the morph targets, for pages that are decoded from now on.
   * @param {number[]} weights
   * @returns {boolean} whether they have changed
   */
  setWeights(weights) {
    const count = this.facts.targets.length;
    if (count === 0) return false;
    const own = new Float32Array(this.instance.exports.memory.buffer, this.call('clusters_weights', this.handle), count);
    let isChanged = false;
    for (let t = 0; t < count; ++t) {
      const weight = Math.fround(Number.isFinite(weights[t]) ? weights[t] : 0);
      if (weight === own[t]) continue;
      own[t] = weight;
      isChanged = true;
    }
    return isChanged;
  }

  /** Decodes a page. @param {number} page @returns {ClusterPage} */
  page(page) {
    const n = this.numbers(this.call('clusters_page', this.handle, page), 20);
    const floats = (/** @type {number} */ i) => this.copy(Float32Array, n[2 * i], n[2 * i + 1]),
      words = (/** @type {number} */ i) => this.copy(Uint32Array, n[2 * i], n[2 * i + 1]);
    return {
      clusters: words(0),
      positions: floats(1),
      normals: floats(2),
      tangents: floats(3),
      texcoords: floats(4),
      colors: floats(5),
      joints: this.copy(Uint16Array, n[12], n[13]),
      weights: floats(7),
      indices: words(8),
      materials: words(9),
    };
  }

  /**
   * The clusters of a view.
   * @param {{ eye: number[], near: number, limit: number, moves?: boolean }} view in the space of the mesh. limit: the largest error as a
   *   part of its distance. moves: the mesh may be in any pose
   * @returns {{ clusters: Uint32Array, pages: number }} clusters: page and number in the page, for each; pages: those that the view needs
   */
  select({ eye, near, limit, moves = false }) {
    return this.selected(this.call('clusters_select', this.handle, eye[0], eye[1], eye[2], near, limit, moves ? 1 : 0));
  }

  /** The clusters of one level of detail. @param {number} level 0: the full mesh */
  level(level) {
    return this.selected(this.call('clusters_of_level', this.handle, level));
  }

  /** @param {number} result */
  selected(result) {
    const [at, size, pages] = this.numbers(result, 3);
    return { clusters: this.copy(Uint32Array, at, size), pages };
  }
}

const GLYPH = 32,
  PAIR = 12,
  MOST_PAIRS = 4000;

/**
 * A font. Lengths are in em, rectangles of the atlas in texels.
 * @typedef {object} FontFacts
 * @property {string} name
 * @property {bigint} texture the hash of the ref of the atlas
 * @property {number} width of the atlas
 * @property {number} height
 * @property {number} size texels per em
 * @property {number} range in texels
 * @property {number} ascender
 * @property {number} descender
 * @property {number} lineHeight
 * @property {number} underlinePosition
 * @property {number} underlineThickness
 * @property {number} missing a glyph
 * @property {number} unitsPerEm
 * @property {{ source: number, advance: number, left: number, bottom: number, right: number, top: number, x: number, y: number, width: number,
 *   height: number }[]} glyphs
 * @property {{ codePoint: number, glyph: number }[]} characters
 * @property {number} kerningPairs
 * @property {{ first: number, second: number, advance: number }[]} kerning the first of them
 */

/**
 * A glyph of a line. y points down, and 0 is the first baseline.
 * @typedef {{ left: number, top: number, right: number, bottom: number, glyph: number }} Quad
 * @typedef {{ quads: Quad[], lines: number, width: number, top: number, bottom: number, screenRange: number }} TextLayout
 */

export class Font extends Opened {
  /** @param {Instance} instance @param {Uint8Array} bytes @param {string} file */
  constructor(instance, bytes, file) {
    super(instance, file);
    this.handle = this.call('font_open', instance.copyIn(bytes), bytes.length);
  }

  /** @returns {FontFacts} */
  facts() {
    const n = this.instance.words(this.call('font_info', this.handle), 10).slice(),
      at = (/** @type {number} */ i) => new DataView(this.copy(Uint8Array, n[2 * i], n[2 * i + 1]).buffer);
    const [desc, glyphs, characters, kerning] = [at(0), at(1), at(2), at(3)],
      f = (/** @type {DataView} */ view, /** @type {number} */ place) => view.getFloat32(place, true),
      u = (/** @type {DataView} */ view, /** @type {number} */ place) => view.getUint32(place, true);
    return {
      name: this.instance.text(n[8], n[9]),
      texture: desc.getBigUint64(0, true),
      width: u(desc, 8),
      height: u(desc, 12),
      size: f(desc, 16),
      range: f(desc, 20),
      ascender: f(desc, 24),
      descender: f(desc, 28),
      lineHeight: f(desc, 32),
      underlinePosition: f(desc, 36),
      underlineThickness: f(desc, 40),
      missing: u(desc, 44),
      unitsPerEm: u(desc, 48),
      glyphs: Array.from({ length: glyphs.byteLength / GLYPH }, (_, i) => {
        const [left, bottom, right, top] = [8, 12, 16, 20].map((place) => f(glyphs, GLYPH * i + place)),
          [x, y, width, height] = [24, 26, 28, 30].map((place) => glyphs.getUint16(GLYPH * i + place, true));
        return { source: u(glyphs, GLYPH * i), advance: f(glyphs, GLYPH * i + 4), left, bottom, right, top, x, y, width, height };
      }),
      characters: Array.from({ length: characters.byteLength / 8 }, (_, i) => ({
        codePoint: u(characters, 8 * i),
        glyph: u(characters, 8 * i + 4),
      })),
      kerningPairs: kerning.byteLength / PAIR,
      kerning: Array.from({ length: Math.min(MOST_PAIRS, kerning.byteLength / PAIR) }, (_, i) => ({
        first: u(kerning, PAIR * i),
        second: u(kerning, PAIR * i + 4),
        advance: f(kerning, PAIR * i + 8),
      })),
    };
  }

  /**
   * Places the glyphs of a text.
   * @param {string} text
   * @param {{ size: number, maxWidth?: number, kerning?: boolean }} options in pixels; maxWidth 0: no limit
   * @returns {TextLayout}
   */
  layout(text, { size, maxWidth = 0, kerning = true }) {
    const bytes = new TextEncoder().encode(text),
      from = this.instance.copyIn(bytes);
    try {
      const result = this.call('font_layout', this.handle, from, bytes.length, size, maxWidth, kerning ? 1 : 0),
        [at, quadBytes, lines] = this.instance.words(result, 3),
        [width, top, bottom, screenRange] = new Float32Array(this.instance.exports.memory.buffer, result + 12, 4),
        values = this.copy(DataView, at, quadBytes);
      const quads = Array.from({ length: quadBytes / 40 }, (_, i) => {
        const [left, quadTop, right, quadBottom] = [0, 4, 8, 12].map((place) => values.getFloat32(40 * i + place, true));
        return { left, top: quadTop, right, bottom: quadBottom, glyph: values.getUint32(40 * i + 32, true) };
      });
      return { quads, lines, width, top, bottom, screenRange };
    } finally {
      this.instance.exports.release(from);
    }
  }
}
