// Meshes with clusters: their vertices grow with what is seen, and what is drawn follows the camera. A worker reads the file.
import { Box3, BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments, MathUtils, Matrix4, Sphere, Vector3 } from 'three';
import { Session } from './jobs.js';

/** Components of each attribute. @type {Record<string, number>} */
const SIZES = { position: 3, normal: 3, tangent: 4, uv: 2, color: 4, skinIndex: 4, skinWeight: 4, cluster: 2 };
const FIRST_VERTICES = 4096;
const NEAR = 0.01;
const BOX_COLOR = 0xf0a030;
/** Corners of the edges of a box: a bit for each axis. */
const EDGES = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7];

/**
 * How the clusters of a model are chosen.
 * @typedef {{ pixels: number, level: number | null, isFrozen: boolean, boxes: boolean }} CutSettings pixels: the largest error that may be
 *   seen; level: instead, a level of detail; isFrozen: what is drawn stays
 */

/** A file with clusters, which is open in a worker. */
export class ClusterMesh {
  /** @param {Session} session @param {string} path @param {number} number @param {import('./readers.js').ClusterFacts} facts */
  constructor(session, path, number, facts) {
    this.session = session;
    this.path = path;
    this.number = number;
    this.facts = facts;
    const has = (/** @type {number} */ semantic) => facts.channels.some((channel) => channel.semantic === semantic && channel.set === 0);
    this.attributes = ['position', 'normal', 'cluster'];
    if (has(2) && has(1)) this.attributes.push('tangent');
    if (has(3)) this.attributes.push('uv');
    if (has(4)) this.attributes.push('color');
    if (has(5) && has(6)) this.attributes.push('skinIndex', 'skinWeight');
    /** @type {Map<string, BufferAttribute>} shared by all geometries */
    this.buffers = new Map();
    this.count = 0;
    this.capacity = 0;
    /** What draws it. @type {{ object: any, geometry: BufferGeometry, cut: import('./cluster_pool.js').Cut | null, version: number }[]} */
    this.instances = [];
    const first = this.newGeometry();
    this.grow(FIRST_VERTICES, [first]);
    const slots = [...facts.materials.keys(), 0xffffffff];
    /** What the readers of other meshes give. */
    this.mesh = {
      targets: facts.targets,
      submeshes: slots.map((material) => ({ material, name: '', firstIndex: 0, indexCount: 0 })),
      primitives: [],
      materials: facts.materials,
      materialNames: [],
      skeleton: facts.skeleton,
      clusters: this,
    };
    this.geometries = { levels: [first], slots, primitives: [] };
  }

  newGeometry() {
    const geometry = new BufferGeometry();
    const { min, max, center, radius } = this.facts.bounds;
    geometry.boundingBox = new Box3(new Vector3(...min), new Vector3(...max));
    geometry.boundingSphere = new Sphere(new Vector3(...center), radius);
    for (const [name, buffer] of this.buffers) geometry.setAttribute(name, buffer);
    geometry.setIndex(new BufferAttribute(new Uint32Array(3), 1));
    geometry.setDrawRange(0, 0);
    geometry.userData.vertexCount = 0;
    return geometry;
  }

  /** Makes room for vertices. @param {number} count @param {BufferGeometry[]} geometries */
  grow(count, geometries = this.instances.map(({ geometry }) => geometry)) {
    if (count <= this.capacity) return;
    this.capacity = Math.max(count, 2 * this.capacity);
    // Buffers of the GPU keep their size: new ones take their place.
    for (const geometry of geometries) geometry.dispose();
    for (const name of this.attributes) {
      const Type = name === 'skinIndex' ? Uint16Array : Float32Array,
        array = new Type(this.capacity * SIZES[name]),
        before = this.buffers.get(name);
      if (before) array.set(before.array);
      this.buffers.set(name, new BufferAttribute(array, SIZES[name]));
    }
    for (const geometry of geometries) for (const [name, buffer] of this.buffers) geometry.setAttribute(name, buffer);
  }

  /** Draws the mesh as this object, with a cut of its own. @param {any} object */
  addInstance(object) {
    const geometry = this.instances.length === 0 ? this.geometries.levels[0] : this.newGeometry();
    object.geometry = geometry;
    object.frustumCulled = false;
    // The worker moves the vertices, not three.js.
    if (this.facts.targets.length > 0) object.morphTargetInfluences = this.facts.targets.map(({ weight }) => weight);
    this.instances.push({ object, geometry, cut: null, version: 0 });
    return geometry;
  }

  /** The eye in the space of an instance. @param {any} object @param {import('three').PerspectiveCamera} camera */
  viewOf(object, camera) {
    const eye = new Vector3().setFromMatrixPosition(camera.matrixWorld).applyMatrix4(new Matrix4().copy(object.matrixWorld).invert());
    return { eye: eye.toArray(), near: Math.max(1e-6, (camera.near || NEAR) / (object.matrixWorld.getMaxScaleOnAxis() || 1)) };
  }

  /** The weights of the morph targets. All instances have those of the first one. @returns {number[] | undefined} */
  weights() {
    return this.facts.targets.length > 0 ? [...(this.instances[0]?.object.morphTargetInfluences ?? [])] : undefined;
  }

  /**
   * Chooses clusters for all instances.
   * @param {import('three').PerspectiveCamera} camera
   * @param {number} height of the picture in pixels
   * @param {CutSettings} settings
   * @param {boolean} moves a clip poses the mesh
   */
  async cut(camera, height, { pixels, level, boxes }, moves) {
    const limit = (2 * Math.max(pixels, 1e-3) * Math.tan(MathUtils.degToRad(camera.fov) / 2)) / Math.max(height, 1);
    const views = this.instances.map(({ object }) => ({
      ...this.viewOf(object, camera),
      limit,
      level,
      boxes: boxes && !moves,
      moves: moves && this.facts.pose !== null,
    }));
    const { cuts, added, isReset } = await this.session.run('clustersCut', this.path, {
      number: this.number,
      views,
      weights: this.weights(),
    });
    if (isReset) this.count = 0;
    this.add(added);
    cuts.forEach((/** @type {import('./cluster_pool.js').Cut} */ cut, /** @type {number} */ i) => this.show(i, cut));
  }

  /** @param {import('./cluster_pool.js').Added} added */
  add(added) {
    if (added.count === 0) return;
    const end = added.first + added.count;
    this.grow(end);
    for (const name of this.attributes) {
      const buffer = /** @type {BufferAttribute} */ (this.buffers.get(name)),
        values = /** @type {any} */ (added)[name];
      if (values.length !== added.count * SIZES[name]) continue;
      buffer.array.set(values, added.first * SIZES[name]);
      buffer.addUpdateRange(added.first * SIZES[name], values.length);
      buffer.needsUpdate = true;
    }
    this.count = end;
  }

  /** @param {number} i @param {import('./cluster_pool.js').Cut} cut */
  show(i, cut) {
    const instance = this.instances[i],
      { geometry } = instance,
      { indices, groups } = cut;
    let index = /** @type {BufferAttribute} */ (geometry.getIndex());
    if (indices.length > index.count) {
      index = new BufferAttribute(new Uint32Array(Math.max(indices.length, 2 * index.count)), 1);
      geometry.setIndex(index);
    }
    index.array.set(indices);
    index.clearUpdateRanges();
    index.addUpdateRange(0, indices.length);
    // Edges that three.js made of the indices follow their version.
    index.version = ++instance.version;
    geometry.setDrawRange(0, indices.length);
    geometry.userData.vertexCount = this.count;
    geometry.clearGroups();
    const none = this.facts.materials.length;
    for (const { start, count, material } of groups) geometry.addGroup(start, count, material === -1 ? none : material);
    instance.cut = cut;
  }

  /** The boxes of the clusters of an instance as lines, or null. @param {any} object */
  boxesOf(object) {
    const boxes = this.instances.find((one) => one.object === object)?.cut?.boxes;
    if (!boxes) return null;
    const positions = new Float32Array((boxes.length / 6) * EDGES.length * 3);
    for (let box = 0, to = 0; box < boxes.length; box += 6)
      for (const corner of EDGES) for (let axis = 0; axis < 3; ++axis) positions[to++] = boxes[box + axis + (corner & (1 << axis) ? 3 : 0)];
    const geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(positions, 3)),
      lines = new LineSegments(geometry, new LineBasicMaterial({ color: BOX_COLOR, transparent: true, opacity: 0.5, toneMapped: false }));
    lines.frustumCulled = false;
    return lines;
  }
}

/** The files with clusters of one model, in one worker. */
export class ClusterFiles {
  constructor() {
    /** @type {Session | null} */
    this.session = null;
    /** @type {ClusterMesh[]} */
    this.meshes = [];
  }

  /** @param {string} path @param {Uint8Array<ArrayBuffer>} bytes */
  async open(path, bytes) {
    this.session ??= new Session();
    const { number, facts } = await this.session.run('clustersOpen', path, { bytes }, { transfer: [bytes.buffer] });
    const mesh = new ClusterMesh(this.session, path, number, facts);
    this.meshes.push(mesh);
    return mesh;
  }

  close() {
    this.session?.close();
  }
}

/** Keeps the cuts of a model up to date with the camera of its stage. One request runs at a time. */
export class ClusterView {
  /**
   * @param {ClusterMesh[]} meshes
   * @param {import('./model_stage.js').Stage} stage
   * @param {{ settings: CutSettings, moves: () => boolean, changed: () => void, failed: (error: any) => void }} hooks moves: a clip poses
   *   the model
   */
  constructor(meshes, stage, hooks) {
    this.meshes = meshes;
    this.stage = stage;
    this.hooks = hooks;
    this.settings = hooks.settings;
    this.shown = '';
    this.isBusy = false;
    this.isClosed = false;
    this.isReady = Promise.resolve();
    stage.beforeDraw = () => this.follow();
  }

  /** What the cut depends on. */
  key() {
    const { camera, canvas } = this.stage,
      { pixels, level, boxes } = this.settings;
    camera.updateMatrixWorld();
    const moves = this.hooks.moves(),
      weights = this.meshes.map((mesh) => mesh.weights()?.join() ?? '').join(' ');
    return level === null
      ? `${camera.matrixWorld.elements.join()} ${camera.fov} ${canvas.height} ${pixels} ${boxes} ${moves} ${weights}`
      : `level ${level} ${boxes} ${weights}`;
  }

  follow() {
    if (this.isBusy || this.isClosed || (this.settings.isFrozen && this.shown !== '')) return;
    const key = this.key();
    if (key === this.shown) return;
    this.isBusy = true;
    this.isReady = this.request(key);
  }

  /** @param {string} key */
  async request(key) {
    const { camera, canvas } = this.stage;
    try {
      for (const mesh of this.meshes) await mesh.cut(camera, canvas.height, this.settings, this.hooks.moves());
      this.shown = key;
    } catch (error) {
      const isClosed = this.isClosed;
      this.isClosed = true;
      if (!isClosed) this.hooks.failed(error);
      return;
    } finally {
      this.isBusy = false;
    }
    if (this.isClosed) return;
    this.hooks.changed();
    this.stage.draw();
  }

  /** Waits until the cut is that of the camera. */
  async settle() {
    do {
      this.follow();
      await this.isReady;
    } while (!this.isClosed && !this.settings.isFrozen && this.key() !== this.shown);
  }

  /** Numbers of what is drawn. */
  counts() {
    let triangles = 0,
      clusters = 0,
      pages = 0;
    for (const { instances } of this.meshes)
      for (const { cut } of instances) {
        triangles += (cut?.indices.length ?? 0) / 3;
        clusters += cut?.clusters ?? 0;
        pages += cut?.pages ?? 0;
      }
    const total = this.meshes.reduce((sum, { facts, instances }) => sum + facts.sourceTriangles * instances.length, 0),
      allPages = this.meshes.reduce((sum, { facts, instances }) => sum + facts.pages * instances.length, 0);
    return { triangles, clusters, pages, total, allPages };
  }

  close() {
    this.isClosed = true;
    this.stage.beforeDraw = null;
  }
}
