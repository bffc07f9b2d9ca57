// Makes three.js objects of a .hmesh or .hscene, with its materials, textures and clips. The files are read in workers.
import { Bone, CompressedTexture, DataTexture, Group, LinearFilter, LineSegments, Matrix4, Mesh, MeshStandardMaterial, Points, SkinnedMesh } from 'three';
import { buildClips } from '../../three/src/clips.js';
import { buildGeometries, buildSkeleton } from '../../three/src/geometry.js';
import { assemble, normalsOf } from '../../three/src/HsceneLoader.js';
import { buildMaterial, materialFor, placeTexture, primitiveMaterial, texturesOf } from '../../three/src/materials.js';
import { fileError, NONE } from '../../three/src/reader.js';
import { PageError, run } from './jobs.js';

/**
 * @typedef {{ object: any, levels: import('three').BufferGeometry[], path: string, mesh: any }} Drawn a mesh object, and the file that it is of
 * @typedef {object} Model
 * @property {Group} group
 * @property {Drawn[]} drawn
 * @property {import('three').AnimationClip[]} clips
 * @property {any[] | null} nodes of a scene: objects by node
 * @property {any} parts of a scene: the parts of the file
 * @property {string[]} variants
 * @property {(name: string | null) => void} setVariant
 * @property {{ name: string, file: string | null, row: number, textures: { name: string, path: string }[] }[]} materials
 * @property {Set<string>} used paths of all files
 * @property {PageError[]} problems files that are missing or cannot be read; the rest is shown
 * @property {() => void} dispose
 */

/**
 * @param {import('./app.js').Context} context
 * @param {{ astc: boolean, bptc: boolean, etc2: boolean, s3tc: boolean, rgtc: boolean }} support
 * @returns {Promise<Model>}
 */
export async function loadModel(context, support) {
  const files = new Files(context, support);
  return context.file.kind === 'scene' ? loadScene(context, files) : loadMesh(context, files);
}

/**
 * The materials of a .hmat, each with its textures.
 * @param {import('./app.js').Context} context
 * @param {any} support
 */
export async function loadMaterials(context, support) {
  const { file: { path } } = context, files = new Files(context, support), rows = await files.read('materials', path);
  return { rows, problems: files.problems, used: files.used, make: (/** @type {number} */ i) => files.material(rows[i], undefined, path, `row ${i}`) };
}

/** Files of one model, each read once. */
class Files {
  /** @param {import('./app.js').Context} context @param {any} support */
  constructor({ root, signal, links }, support) {
    this.root = root;
    this.signal = signal;
    this.links = links;
    this.support = support;
    /** @type {Map<string, Promise<any>>} */
    this.requested = new Map();
    this.used = new Set();
    /** @type {PageError[]} */
    this.problems = [];
    /** @type {any[]} */
    this.textures = [];
  }

  /** @param {string} op @param {string} path @param {any} [more] @returns {Promise<any>} */
  read(op, path, more = {}) {
    const key = `${op} ${path} ${more.normals ?? ''}`;
    let promise = this.requested.get(key);
    if (!promise) {
      this.used.add(path);
      promise = this.root.read(path, this.signal).then((bytes) => run(op, path, { bytes, ...more }, { transfer: [bytes.buffer], signal: this.signal }));
      this.requested.set(key, promise);
    }
    return promise;
  }

  /** Remembers a problem, and goes on without the file. @param {Promise<any>} promise */
  optional(promise) {
    return promise.catch((error) => {
      if (this.signal.aborted) throw error;
      this.problems.push(error);
      return null;
    });
  }

  /** @param {bigint} hash @param {string} file @param {string} place */
  async pathOf(hash, file, place) {
    const entry = (await this.links.hashes()).get(hash);
    if (!entry) throw fileError(file, place, `no file of the folder has the hash 0x${hash.toString(16)}; build the folder again, or drop the whole folder`);
    return entry.path;
  }

  /** @param {string} path @param {'' | 'packed' | 'xyz'} normals @returns {Promise<any>} */
  async texture(path, normals) {
    const { isCompressed, mipmaps, format, type, colorSpace, width, height, minFilter } = await this.read('texture', path, { normals, support: this.support });
    const texture = isCompressed ? new CompressedTexture(mipmaps, width, height, format, type) : new DataTexture(mipmaps[0].data, width, height, format, type);
    texture.mipmaps = mipmaps;
    Object.assign(texture, { colorSpace, minFilter, magFilter: LinearFilter, generateMipmaps: false, flipY: false, needsUpdate: true, name: path });
    this.textures.push(texture);
    return texture;
  }

  /** The material of a row, with its textures. @param {any} row @param {any} scene @param {string} file @param {string} place */
  async material(row, scene, file, place) {
    /** @type {Map<string, any>} */
    const textures = new Map();
    /** @type {{ name: string, path: string }[]} */
    const named = [];
    await Promise.all(texturesOf(row, scene).map(async (use) => {
      await this.optional((async () => {
        const path = await this.pathOf(use.hash, file, `${place} ${use.name}`);
        named.push({ name: use.name, path });
        textures.set(use.name, placeTexture(await this.texture(path, normalsOf(use.name)), use));
      })());
    }));
    return { material: buildMaterial(row, scene, textures), textures: named };
  }
}

/** @param {import('./app.js').Context} context @param {Files} files @returns {Promise<Model>} */
async function loadMesh({ file: { path }, links }, files) {
  const mesh = await files.read('mesh', path), geometries = buildGeometries(mesh), rowsPath = links.materialsOf(path);
  const rows = rowsPath ? await files.optional(files.read('materials', rowsPath)) ?? [] : [];
  const slots = new Set([...mesh.submeshes, ...mesh.primitives].map((part) => part.material));
  /** @type {any[]} */
  const materials = [];
  /** @type {Model['materials']} */
  const listed = [];
  const fallback = new MeshStandardMaterial({ roughness: 0.7 });
  await Promise.all([...slots].filter((slot) => slot !== NONE).map(async (slot) => {
    const name = mesh.materialNames[slot] ?? `slot ${slot}`;
    if (!rows[slot]) {
      listed[slot] = { name, file: null, row: slot, textures: [] };
      return;
    }
    const made = await files.material(rows[slot], undefined, /** @type {string} */ (rowsPath), `row ${slot}`);
    made.material.name = name;
    materials[slot] = made.material;
    listed[slot] = { name, file: rowsPath, row: slot, textures: made.textures };
  }));
  const group = new Group(), skeleton = buildSkeleton(mesh), copies = new Map();
  /** @type {Drawn[]} */
  const drawn = [];
  const of = (/** @type {number} */ slot) => slot === NONE ? fallback : materials[slot] ?? fallback;
  /** @type {import('three').AnimationClip[]} */
  let clips = [];
  if (geometries.levels.length > 0) {
    const geometry = geometries.levels[0], list = geometries.slots.map((slot) => materialFor(of(slot), geometry, copies));
    const object = skeleton && geometry.hasAttribute('skinIndex') ? new SkinnedMesh(geometry, list.length === 1 ? list[0] : list) : new Mesh(geometry, list.length === 1 ? list[0] : list);
    if (object instanceof SkinnedMesh && skeleton) {
      for (const bone of skeleton.roots) object.add(bone);
      object.updateMatrixWorld(true);
      object.bind(skeleton.skeleton, new Matrix4());
      object.frustumCulled = false;
      const clipsPath = path.replace(/\.[^.]+$/, '.hanim');
      if (files.root.byPath.has(clipsPath)) {
        const found = await files.optional(files.read('clips', clipsPath));
        if (found && !found.ofScene) clips = buildClips(found, /** @type {Bone[]} */ (skeleton.skeleton.bones), clipsPath);
      }
    }
    if (object.morphTargetInfluences) mesh.targets.forEach((/** @type {any} */ target, /** @type {number} */ t) => { /** @type {number[]} */ (object.morphTargetInfluences)[t] = target.weight; });
    drawn.push({ object, levels: geometries.levels, path, mesh });
    group.add(object);
  }
  for (const primitive of geometries.primitives) {
    const made = primitiveMaterial(of(primitive.material), primitive.topology, primitive.geometry.hasAttribute('color'), copies);
    group.add(primitive.topology === 'points' ? new Points(primitive.geometry, made) : new LineSegments(primitive.geometry, made));
  }
  return { group, drawn, clips, nodes: null, parts: null, variants: [], setVariant: () => {}, materials: listed.filter(Boolean), used: files.used, problems: files.problems,
    dispose: () => disposeAll(group, files.textures) };
}

/** @param {import('./app.js').Context} context @param {Files} files @returns {Promise<Model>} */
async function loadScene({ file: { path } }, files) {
  const parts = await files.read('scene', path);
  /** @type {Model['materials']} */
  const listed = [];
  const [meshes, materials, clips] = await Promise.all([
    Promise.all(parts.meshes.map(async (/** @type {any} */ mesh, /** @type {number} */ i) => mesh.hash === 0n ? null : files.optional((async () => {
      const meshPath = await files.pathOf(mesh.hash, path, `MESH[${i}]`);
      if (meshPath.endsWith('.hcluster')) throw new PageError({ place: `${path}: MESH[${i}]`, code: 'unsupported', what: `${meshPath} has clusters, which the page does not draw`, hint: 'build with mesh.lod: levels to see it here' });
      const file = await files.read('mesh', meshPath);
      return { path: meshPath, file, geometries: buildGeometries(file) };
    })()))),
    Promise.all(parts.materials.map(async (/** @type {any} */ material, /** @type {number} */ i) => {
      const found = await files.optional((async () => {
        const place = `MTRL[${i}]`, rowsPath = await files.pathOf(material.hash, path, place), rows = await files.read('materials', rowsPath), row = rows[material.row];
        if (!row) throw fileError(path, place, `it is row ${material.row} of ${rowsPath}, which has ${rows.length}`);
        const made = await files.material(row, material, path, place);
        listed[i] = { name: material.name || `material ${i}`, file: rowsPath, row: material.row, textures: made.textures };
        return made.material;
      })());
      return found ?? new MeshStandardMaterial({ name: material.name });
    })),
    Promise.all(parts.clips.map(async (/** @type {any} */ clip, /** @type {number} */ i) => files.optional((async () => {
      const clipPath = await files.pathOf(clip.hash, path, `CLIP[${i}]`), all = await files.read('clips', clipPath), found = all.clips[clip.number];
      if (!found) throw fileError(path, `CLIP[${i}]`, `it is clip ${clip.number} of ${clipPath}, which has ${all.clips.length}`);
      return { path: clipPath, clip, found };
    })()))),
  ]);
  const made = assemble(parts, path, meshes, materials, clips.filter(Boolean));
  /** @type {Drawn[]} */
  const drawn = [];
  const byGeometry = new Map(meshes.filter(Boolean).map((mesh) => [mesh.geometries.levels[0], mesh]));
  for (const [object, levels] of made.levels) {
    object.frustumCulled = false;
    const mesh = byGeometry.get(levels[0]);
    drawn.push({ object, levels, path: mesh?.path ?? '', mesh: mesh?.file });
  }
  return { group: made.scene, drawn, clips: made.animations, nodes: made.nodes, parts, variants: made.variants, setVariant: made.setVariant, materials: listed.filter(Boolean),
    used: files.used, problems: files.problems, dispose: () => disposeAll(made.scene, files.textures) };
}

/** @param {Group} group @param {any[]} textures */
function disposeAll(group, textures) {
  for (const texture of textures) texture.dispose();
  group.traverse((/** @type {any} */ object) => {
    object.geometry?.dispose();
    for (const material of [object.material].flat()) {
      for (const value of Object.values(material ?? {})) if (/** @type {any} */ (value)?.isTexture) /** @type {any} */ (value).dispose();
      material?.dispose();
    }
  });
}
