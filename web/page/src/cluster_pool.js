// The vertices of a file with clusters, page by page as views need them, and the indices of what each view draws. For workers.
import { CLUSTER_ROW } from './readers.js';
import { limitError, NONE } from '../../three/src/reader.js';

/** The most vertices that are kept: about 60 bytes each. */
const MOST_VERTICES = 4 << 20;
/** A view that needs more vertices gets a larger error, step by step. */
const COARSER = 1.5;
const MOST_STEPS = 64;

/**
 * A view of a mesh, in its space. With `level`, that level of detail; else the clusters whose error is at most `limit` of their distance.
 * @typedef {{ eye: number[], near: number, limit: number, moves?: boolean, level: number | null, boxes?: boolean }} View
 * @typedef {{ first: number, rows: Uint32Array, indices: Uint32Array, materials: Uint32Array, boxes: Float32Array }} KeptPage first: vertex
 *
 * What a view draws. Groups are ranges of indices with one material. boxes: minimum and maximum of each cluster, if asked for.
 * @typedef {{ indices: Uint32Array, groups: { start: number, count: number, material: number }[], clusters: number, pages: number,
 *   boxes: Float32Array | null, limit: number }} Cut
 *
 * Vertices from `first` on. `cluster` has a number for the color and the level of detail of each.
 * @typedef {{ first: number, count: number, position: Float32Array, normal: Float32Array, tangent: Float32Array, uv: Float32Array,
 *   color: Float32Array, skinIndex: Uint16Array, skinWeight: Float32Array, cluster: Float32Array }} Added
 */

/** Parts of a decoded page and the attributes that they become. @type {[keyof Added, keyof import('./readers.js').ClusterPage][]} */
const ATTRIBUTES = [
  ['position', 'positions'],
  ['normal', 'normals'],
  ['tangent', 'tangents'],
  ['uv', 'texcoords'],
  ['color', 'colors'],
  ['skinIndex', 'joints'],
  ['skinWeight', 'weights'],
];

export class ClusterPool {
  /** @param {import('./readers.js').Clusters} clusters @param {number} [most] vertices */
  constructor(clusters, most = MOST_VERTICES) {
    this.clusters = clusters;
    this.most = most;
    /** @type {Map<number, KeptPage>} */
    this.pages = new Map();
    this.count = 0;
  }

  /**
   * @param {View[]} views
   * @param {number[]} [weights] of morph targets; those of the file if they were never given
   * @returns {{ result: { cuts: Cut[], added: Added, isReset: boolean }, transfer: Transferable[] }} isReset: vertices that were sent before
   *   are not used any more
   */
  cut(views, weights) {
    const isMoved = weights !== undefined && this.clusters.setWeights(weights);
    if (isMoved) {
      this.pages.clear();
      this.count = 0;
    }
    let coarser = 1,
      steps = 0;
    /** @type {import('./readers.js').ClusterPage[]} */
    let decoded = [];
    let isReset = isMoved,
      first = this.count,
      selected = this.select(views, coarser);
    for (;;) {
      const decodedNow = this.decode(selected);
      if (decodedNow) {
        decoded = decodedNow;
        break;
      }
      // First, what earlier views have drawn is dropped.
      if (first === 0) {
        if (++steps > MOST_STEPS)
          throw limitError(this.clusters.file, '', `its coarsest level has more than ${this.most} vertices, which the page does not draw`);
        if (views.every(({ level }) => level !== null)) views = views.map((view) => ({ ...view, level: /** @type {number} */ (view.level) + 1 }));
        coarser *= COARSER;
        selected = this.select(views, coarser);
      }
      this.pages.clear();
      this.count = first = 0;
      isReset = true;
    }
    const added = this.added(first, decoded),
      cuts = selected.map(({ clusters, pages, limit }, i) => this.indices(clusters, pages, limit, views[i].boxes ?? false));
    const transfer = /** @type {any[]} */ ([...Object.values(added), ...cuts.flatMap(({ indices, boxes }) => [indices, boxes])])
      .filter((one) => ArrayBuffer.isView(one))
      .map((one) => one.buffer);
    return { result: { cuts, added, isReset }, transfer };
  }

  /** @param {View[]} views @param {number} coarser */
  select(views, coarser) {
    const { levels } = this.clusters.facts;
    return views.map((view) => {
      const limit = view.limit * coarser;
      const found =
        view.level === null
          ? this.clusters.select({ ...view, limit })
          : this.clusters.level(Math.min(view.level, Math.max(0, levels.length - 1)));
      return { ...found, limit };
    });
  }

  /**
   * Decodes the pages that are not there. Null: there would be too many vertices.
   * @param {{ clusters: Uint32Array }[]} selected
   * @returns {import('./readers.js').ClusterPage[] | null}
   */
  decode(selected) {
    const decoded = [];
    for (const { clusters } of selected) {
      for (let i = 0; i < clusters.length; i += 2) {
        const number = clusters[i];
        if (this.pages.has(number)) continue;
        const page = this.clusters.page(number),
          vertices = page.positions.length / 3;
        if (this.count + vertices > this.most && this.count > 0) return null;
        decoded.push(page);
        this.pages.set(number, {
          first: this.count,
          rows: page.clusters,
          indices: page.indices,
          materials: page.materials,
          boxes: boxesOf(page),
        });
        this.count += vertices;
      }
    }
    return decoded;
  }

  /** @param {number} first @param {import('./readers.js').ClusterPage[]} pages @returns {Added} */
  added(first, pages) {
    /** @type {any} */
    const out = { first, count: this.count - first };
    for (const [to, from] of ATTRIBUTES) {
      const parts = pages.map((page) => page[from]),
        Type = from === 'joints' ? Uint16Array : Float32Array,
        all = new Type(parts.reduce((sum, part) => sum + part.length, 0));
      let at = 0;
      for (const part of parts) {
        all.set(part, at);
        at += part.length;
      }
      out[to] = all;
    }
    const cluster = new Float32Array(2 * out.count);
    let at = 0;
    pages.forEach((page, p) => {
      for (let row = 0; row < page.clusters.length; row += CLUSTER_ROW) {
        const number = (first + 131 * p + row / CLUSTER_ROW) % 4096;
        for (let v = 0; v < page.clusters[row + 4]; ++v, at += 2) {
          cluster[at] = number;
          cluster[at + 1] = page.clusters[row + 1];
        }
      }
    });
    out.cluster = cluster;
    return out;
  }

  /**
   * @param {Uint32Array} clusters page and number of each
   * @param {number} pages
   * @param {number} limit
   * @param {boolean} withBoxes
   * @returns {Cut}
   */
  indices(clusters, pages, limit, withBoxes) {
    /** @type {Map<number, number>} indices by material */
    const sizes = new Map();
    const each = (/** @type {(page: KeptPage, triangle: number) => void} */ work) => {
      for (let i = 0; i < clusters.length; i += 2) {
        const page = /** @type {KeptPage} */ (this.pages.get(clusters[i])),
          row = CLUSTER_ROW * clusters[i + 1],
          begin = page.rows[row + 5];
        for (let t = begin; t < begin + page.rows[row + 6]; ++t) work(page, t);
      }
    };
    each((page, t) => sizes.set(page.materials[t], (sizes.get(page.materials[t]) ?? 0) + 3));
    const groups = [],
      /** @type {Map<number, number>} */
      next = new Map();
    let total = 0;
    for (const [material, count] of [...sizes].sort((a, b) => a[0] - b[0])) {
      groups.push({ start: total, count, material: material === NONE ? -1 : material });
      next.set(material, total);
      total += count;
    }
    const indices = new Uint32Array(total);
    each((page, t) => {
      const at = /** @type {number} */ (next.get(page.materials[t]));
      for (let c = 0; c < 3; ++c) indices[at + c] = page.first + page.indices[3 * t + c];
      next.set(page.materials[t], at + 3);
    });
    let boxes = null;
    if (withBoxes) {
      boxes = new Float32Array(3 * clusters.length);
      for (let i = 0; i < clusters.length; i += 2) {
        const page = /** @type {KeptPage} */ (this.pages.get(clusters[i]));
        boxes.set(page.boxes.subarray(6 * clusters[i + 1], 6 * clusters[i + 1] + 6), 3 * i);
      }
    }
    return { indices, groups, clusters: clusters.length / 2, pages, boxes, limit };
  }
}

/** The minimum and the maximum of each cluster. @param {import('./readers.js').ClusterPage} page */
function boxesOf({ clusters, positions }) {
  const boxes = new Float32Array((6 * clusters.length) / CLUSTER_ROW);
  for (let row = 0, to = 0; row < clusters.length; row += CLUSTER_ROW, to += 6) {
    for (let c = 0; c < 3; ++c) {
      let low = Infinity,
        high = -Infinity;
      for (let v = 0; v < clusters[row + 4]; ++v) {
        const value = positions[3 * (clusters[row + 3] + v) + c];
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
      boxes[to + c] = low;
      boxes[to + 3 + c] = high;
    }
  }
  return boxes;
}
