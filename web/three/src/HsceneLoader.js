// Scenes of .hscene files, with their meshes, materials, textures and clips.
import {
  Bone, DirectionalLight, Group, LineSegments, Matrix4, Mesh, MeshStandardMaterial, OrthographicCamera, PerspectiveCamera, PointLight, Points,
  REVISION, Skeleton, SkinnedMesh, SpotLight,
} from 'three';
import { buildClip } from './clips.js';
import { buildGeometries } from './geometry.js';
import { parseHanim } from './hanim.js';
import { parseManifest } from './hman.js';
import { parseHmat } from './hmat.js';
import { parseHmesh } from './hmesh.js';
import { parseHscene } from './hscene.js';
import { Ktx2Loader } from './Ktx2Loader.js';
import { MeshLoader } from './load.js';
import { buildMaterial, materialFor, placeTexture, primitiveMaterial, texturesOf } from './materials.js';
import { fileError, limitError, NONE } from './reader.js';

/** Bones of the skeletons of all meshes. */
const MAX_BONES = 1 << 20;

/**
 * A scene.
 * @typedef {object} HsceneResult
 * @property {Group} scene everything, ready to be added to a three.js scene
 * @property {import('three').Object3D[]} nodes the object of each node of the file
 * @property {import('three').Camera[]} cameras
 * @property {import('three').AnimationClip[]} animations
 * @property {string[]} variants names of the material variants
 * @property {Map<import('three').Mesh, import('three').BufferGeometry[]>} levels levels of detail of each mesh, the full mesh first
 * @property {(name: string | null) => void} setVariant draws the materials of a variant; null: those of the source
 * @property {import('./hscene.js').Hscene} parts the parts of the file
 */

/**
 * Loads scenes from .hscene files of a runtime folder. `setPath` names that folder, which has `assets.hman`; `load` takes the
 * path of the scene in it. A file that breaks its format, is cut off, or is missing ends in an error that names it.
 *
 * Each file of a scene is requested once.
 * @extends {MeshLoader<HsceneResult>}
 */
export class HsceneLoader extends MeshLoader {
  /**
   * @param {import('three').LoadingManager} [manager]
   * @param {Ktx2Loader} [ktx2Loader] whose `detectSupport` was called; without it, texels are decompressed
   */
  constructor(manager, ktx2Loader) {
    super(manager);
    this.ktx2Loader = ktx2Loader ?? new Ktx2Loader(manager);
    this.manifestName = 'assets.hman';
  }

  /**
   * @param {string} name of the manifest in the folder
   * @returns {this}
   */
  setManifest(name) {
    this.manifestName = name;
    return this;
  }

  /**
   * @param {string} url
   * @param {(event: ProgressEvent) => void} [onProgress]
   */
  async readUrl(url, onProgress) {
    return this.parseAsync(await this.requestBytes(url, onProgress), url);
  }

  /**
   * Makes a scene from the bytes of a file, and requests the files that it names.
   * @param {ArrayBuffer | Uint8Array} data
   * @param {string} [name] of the file, for errors
   * @returns {Promise<HsceneResult>}
   */
  async parseAsync(data, name = 'scene.hscene') {
    const parts = parseHscene(data, name);
    if (parts.hasUuids) throw fileError(name, 'DESC', 'the refs are UUIDs, as in a cooked scene; this loader reads scenes of a runtime folder');
    await this.readyDecoders();
    const files = parseManifest(await this.requestBytes(this.manifestName), this.manifestName);
    /** @param {bigint} hash @param {string} place */
    const pathOf = (hash, place) => {
      const entry = files.get(hash);
      if (!entry) throw fileError(name, place, `no file of ${this.manifestName} has the hash 0x${hash.toString(16)}; build the folder again`);
      return entry.path;
    };
    /** @type {Map<string, Promise<any>>} */
    const requested = new Map();
    /**
     * @template T
     * @param {string} path
     * @param {(bytes: Uint8Array) => T | Promise<T>} parse
     * @param {string} [key]
     * @returns {Promise<T>}
     */
    const once = (path, parse, key = path) => {
      let promise = requested.get(key);
      if (!promise) {
        promise = this.requestBytes(path).then(parse);
        requested.set(key, promise);
      }
      return promise;
    };

    const [meshes, materials, clips] = await Promise.all([
      Promise.all(parts.meshes.map(async (mesh, i) => {
        if (mesh.hash === 0n) return null;
        const path = pathOf(mesh.hash, `MESH[${i}]`);
        if (path.endsWith('.hcluster'))
          throw fileError(name, `MESH[${i}]`, `${path} has clusters, which this loader does not draw; build with mesh.lod: levels`);
        return once(path, (bytes) => {
          const file = parseHmesh(bytes, path, this.decoders);
          return { path, file, geometries: buildGeometries(file) };
        });
      })),
      Promise.all(parts.materials.map(async (material, i) => {
        const place = `MTRL[${i}]`, path = pathOf(material.hash, place);
        const rows = await once(path, (bytes) => parseHmat(bytes, path)), row = rows[material.row];
        if (!row) throw fileError(name, place, `it is row ${material.row} of ${path}, which has ${rows.length}`);
        /** @type {Map<string, import('three').Texture>} */
        const textures = new Map();
        await Promise.all(texturesOf(row, material).map(async (use) => {
          const texturePath = pathOf(use.hash, `${place} ${use.name}`), normals = normalsOf(use.name);
          const texture = await once(texturePath, (bytes) => this.ktx2Loader.parseAsync(bytes, texturePath, normals ? { normals } : {}), `${texturePath} ${normals}`);
          textures.set(use.name, placeTexture(texture, use));
        }));
        const made = buildMaterial(row, material, textures);
        setExtra(made, material.extra, name, place);
        return made;
      })),
      Promise.all(parts.clips.map(async (clip, i) => {
        const place = `CLIP[${i}]`, path = pathOf(clip.hash, place);
        const all = await once(path, (bytes) => parseHanim(bytes, path)), found = all.clips[clip.number];
        if (!found) throw fileError(name, place, `it is clip ${clip.number} of ${path}, which has ${all.clips.length}`);
        return { path, clip, found };
      })),
    ]);
    return assemble(parts, name, meshes, materials, clips);
  }
}

/** How a use of a texture reads normals. @param {string} use @returns {'' | 'packed' | 'xyz'} */
export function normalsOf(use) {
  if (use === 'NormalTex') return Number.parseInt(REVISION, 10) >= 187 ? 'packed' : 'xyz';
  return use === 'ClearcoatNormalTex' ? 'xyz' : '';
}

/**
 * Sets what the source says for its application: `extras` as userData, unknown extensions as `userData.gltfExtensions`.
 * @param {any} object
 * @param {string} json
 * @param {string} file
 * @param {string} place
 */
function setExtra(object, json, file, place) {
  if (json === '') return;
  let extra;
  try {
    extra = JSON.parse(json);
  } catch (error) {
    throw fileError(file, place, `its extra is no JSON: ${/** @type {Error} */ (error).message}`);
  }
  if (extra === null || typeof extra !== 'object') return;
  const { extras, extensions } = extra;
  if (extras !== undefined) object.userData = extras !== null && typeof extras === 'object' && !Array.isArray(extras) ? extras : { extras };
  if (extensions !== undefined) object.userData.gltfExtensions = extensions;
}

/** @param {import('./hscene.js').SceneCamera} camera */
function buildCamera(camera) {
  const made = camera.orthographic
    ? new OrthographicCamera(-camera.halfWidth, camera.halfWidth, camera.halfHeight, -camera.halfHeight, camera.near, camera.far)
    : new PerspectiveCamera(camera.fovY * 180 / Math.PI, camera.aspect || 1, camera.near || 0.1, camera.far || 2e6);
  made.name = camera.name;
  return made;
}

/** @param {import('./hscene.js').SceneLight} light */
function buildLight(light) {
  let made;
  if (light.type === 'directional') {
    made = new DirectionalLight();
  } else if (light.type === 'point') {
    made = new PointLight();
  } else {
    made = new SpotLight();
    made.angle = light.outerAngle;
    made.penumbra = light.outerAngle > 0 ? 1 - light.innerAngle / light.outerAngle : 0;
  }
  made.color.setRGB(light.color[0], light.color[1], light.color[2]);
  made.intensity = light.intensity;
  made.position.set(0, 0, 0);
  made.name = light.name;
  if (made instanceof PointLight || made instanceof SpotLight) {
    made.distance = light.range;
    made.decay = 2;
  }
  if (made instanceof DirectionalLight || made instanceof SpotLight) {
    made.target.position.set(0, 0, -1);
    made.add(made.target);
  }
  return made;
}

/**
 * @param {import('./hscene.js').Hscene} parts
 * @param {string} file
 * @param {({ path: string, file: import('./hmesh.js').Hmesh, geometries: import('./geometry.js').MeshGeometries } | null)[]} meshes
 * @param {any[]} materials
 * @param {{ path: string, clip: import('./hscene.js').SceneClip, found: import('./hanim.js').Clip }[]} clips
 * @returns {HsceneResult}
 */
export function assemble(parts, file, meshes, materials, clips) {
  const isJoint = new Set(parts.skins.flatMap((skin) => skin.joints));
  const fallback = new MeshStandardMaterial();
  /** @type {Map<string, any>} */
  const copies = new Map();
  /** @type {HsceneResult['levels']} */
  const levels = new Map();
  /** Meshes whose materials a variant may change. @type {{ object: any, mesh: number, slots: number[] }[]} */
  const drawn = [];
  /** @type {{ object: SkinnedMesh, skin: number }[]} */
  const skinned = [];
  /** The drawn objects of each node, whose weights clips move. @type {any[][]} */
  const shown = parts.nodes.map(() => []);
  /** @type {import('three').Camera[]} */
  const cameras = [];

  /** @param {number} slot @param {string} path */
  const materialOf = (slot, path) => {
    if (slot === NONE) return fallback;
    return materials[slot] ?? (() => { throw fileError(path, '', `it uses material ${slot}, but ${file} has ${materials.length}`); })();
  };
  /** @param {import('./hscene.js').SceneNode} node @param {number} n */
  const meshObjects = (node, n) => {
    const mesh = node.mesh === NONE ? null : meshes[node.mesh];
    if (!mesh) return [];
    const { geometries, path } = mesh, weights = node.weights.length > 0 ? node.weights : mesh.file.targets.map((target) => target.weight);
    if (node.weights.length > 0 && node.weights.length !== mesh.file.targets.length)
      throw fileError(file, `NODE[${n}]`, `it has ${node.weights.length} weights, but ${path} has ${mesh.file.targets.length} morph targets`);
    /** @type {any[]} */
    const objects = [];
    /** @param {any} object */
    const finish = (object) => {
      if (object.morphTargetInfluences) weights.forEach((weight, t) => { object.morphTargetInfluences[t] = weight; });
      setExtra(object, parts.meshes[node.mesh].extra, file, `MESH[${node.mesh}]`);
      shown[n].push(object);
      objects.push(object);
    };
    if (geometries.levels.length > 0) {
      const geometry = geometries.levels[0];
      const isSkinned = node.skin !== NONE && geometry.hasAttribute('skinIndex');
      const object = isSkinned ? new SkinnedMesh(geometry) : new Mesh(geometry);
      object.name = parts.meshes[node.mesh].name;
      if (isSkinned) skinned.push({ object: /** @type {SkinnedMesh} */ (object), skin: node.skin });
      levels.set(object, geometries.levels);
      drawn.push({ object, mesh: node.mesh, slots: mesh.file.submeshes.map((submesh) => submesh.material) });
      const list = geometries.slots.map((slot) => materialFor(materialOf(slot, path), geometry, copies));
      object.material = list.length === 1 ? list[0] : list;
      finish(object);
    }
    for (const primitive of geometries.primitives) {
      const material = materialOf(primitive.material, path), colors = primitive.geometry.hasAttribute('color');
      const used = primitiveMaterial(material, primitive.topology, colors, copies);
      const object = primitive.topology === 'points' ? new Points(primitive.geometry, used) : new LineSegments(primitive.geometry, used);
      object.name = primitive.name;
      finish(object);
    }
    return objects;
  };

  /** @type {any[][]} */
  const camerasOf = parts.cameras.map(() => []);
  /** @type {any[][]} */
  const lightsOf = parts.lights.map(() => []);
  /** @type {import('three').Object3D[]} */
  const nodes = [];
  const scene = new Group();
  scene.name = parts.name;
  parts.nodes.forEach((node, n) => {
    /** @type {import('three').Object3D[]} */
    const objects = meshObjects(node, n);
    if (node.camera !== NONE) {
      const camera = buildCamera(parts.cameras[node.camera]);
      setExtra(camera, parts.cameras[node.camera].extra, file, `CAMR[${node.camera}]`);
      cameras.push(camera);
      camerasOf[node.camera].push(camera);
      objects.push(camera);
    }
    if (node.light !== NONE) {
      const light = buildLight(parts.lights[node.light]);
      setExtra(light, parts.lights[node.light].extra, file, `LGHT[${node.light}]`);
      lightsOf[node.light].push(light);
      objects.push(light);
    }
    const object = isJoint.has(n) ? new Bone() : objects.length === 1 ? objects[0] : new Group();
    if (object !== objects[0]) for (const child of objects) object.add(child);
    if (node.name !== '') object.name = node.name;
    setExtra(object, node.extra, file, `NODE[${n}]`);
    if (node.matrix) {
      object.applyMatrix4(new Matrix4().fromArray(node.matrix));
    } else {
      object.position.fromArray(node.translation);
      object.quaternion.fromArray(/** @type {any} */ (node.rotation));
      object.scale.fromArray(node.scale);
    }
    // A node that replaces another one at lower detail is there for an application that switches.
    if (node.hidden || node.replaces !== NONE) object.visible = false;
    (node.parent === -1 ? scene : nodes[node.parent]).add(object);
    nodes.push(object);
  });
  setExtra(scene, parts.extra, file, 'DESC');

  scene.updateMatrixWorld(true);
  const identity = new Matrix4();
  let bones = 0;
  for (const { object, skin } of skinned) {
    const { joints, inverseBinds } = parts.skins[skin];
    bones += joints.length;
    if (bones > MAX_BONES) throw limitError(file, `SKIN[${skin}]`, `the skinned meshes have more than ${MAX_BONES} bones`);
    const indices = object.geometry.getAttribute('skinIndex').array;
    for (let i = 0; i < indices.length; ++i)
      if (indices[i] >= joints.length) throw fileError(file, `SKIN[${skin}]`, `a vertex names joint ${indices[i]}, but the skin has ${joints.length}`);
    const inverses = joints.map((_, j) => inverseBinds.length > 0 ? new Matrix4().fromArray(inverseBinds[j]) : new Matrix4());
    object.bind(new Skeleton(/** @type {Bone[]} */ (joints.map((joint) => nodes[joint])), inverses), identity);
  }

  /** @param {string | null} variant */
  const setVariant = (variant) => {
    const number = variant === null ? NONE : parts.variants.indexOf(variant);
    if (number === -1) throw new Error(`the scene has no variant ${JSON.stringify(variant)}; it has ${JSON.stringify(parts.variants)}`);
    /** @type {Map<number, Map<number, number>>} the material of each submesh of each mesh */
    const changed = new Map();
    for (const row of parts.variantMaterials) {
      if (row.variant !== number) continue;
      const rows = changed.get(row.mesh) ?? new Map();
      changed.set(row.mesh, rows.set(row.submesh, row.material));
    }
    for (const { object, mesh, slots } of drawn) {
      const rows = changed.get(mesh);
      const list = slots.map((slot, s) => materialFor(materialOf(rows?.get(s) ?? slot, file), object.geometry, copies));
      // Groups are submeshes. A mesh with variants draws each with a material of its own.
      for (const geometry of levels.get(object) ?? []) geometry.groups.forEach((group, s) => { group.materialIndex = s; });
      object.material = list.length === 1 ? list[0] : list;
    }
  };
  if (parts.variants.length > 0) setVariant(null);
  const targets = { nodes, shown, cameras: camerasOf, lights: lightsOf };
  return { scene, nodes, cameras, levels, variants: parts.variants, setVariant, parts,
    animations: clips.map(({ path, clip, found }) => buildClip(clip.name, found, targets, path)) };
}
