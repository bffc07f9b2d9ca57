// Makes three.js objects of a .hmesh or .hscene, with its materials, textures and clips. The files are read in workers.
import { Bone, Group, LineSegments, Matrix4, Mesh, MeshStandardMaterial, Points, SkinnedMesh } from 'three';
import { buildClips } from '../../three/src/clips.js';
import { buildGeometries, buildSkeleton } from '../../three/src/geometry.js';
import { assemble } from '../../three/src/HsceneLoader.js';
import { materialFor, primitiveMaterial } from '../../three/src/materials.js';
import { fileError, NONE } from '../../three/src/reader.js';
import { nameOf } from './format.js';
import { Files } from './model_files.js';

const MOST_CLIPS = 64;

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
 * @property {import('./jobs.js').PageError[]} problems files that are missing or cannot be read; the rest is shown
 * @property {import('./model_clusters.js').ClusterMesh[]} clusters the meshes with clusters
 * @property {Files} files
 * @property {(kept?: Model) => void} dispose frees what a newer model of the same files does not draw
 */

/**
 * @param {import('./app.js').Context} context
 * @param {{ astc: boolean, bptc: boolean, etc2: boolean, s3tc: boolean, rgtc: boolean }} support
 * @param {{ files: Files, changed: string[] } | null} [before] the files of the same model before a build
 * @returns {Promise<Model>}
 */
export async function loadModel(context, support, before = null) {
  const files = new Files(context, support, before);
  try {
    return await (context.file.kind === 'scene' ? loadScene(context, files) : loadMesh(context, files));
  } catch (error) {
    files.clusterFiles.close();
    throw error;
  }
}

/** @param {import('./app.js').Context} context @param {Files} files @returns {Promise<Model>} */
async function loadMesh({ file: { path, kind }, links }, files) {
  const clusters = isClusters(files.root, path) ? await files.clusters(path) : null,
    cooked =
      kind !== 'asset' ? null : clusters ? { mesh: clusters.mesh, materials: clusters.facts.uuids } : await files.read('cookedMesh', path),
    mesh = clusters?.mesh ?? (cooked ? await withSkeleton(cooked, path, files) : await files.read('mesh', path)),
    geometries = clusters?.geometries ?? (await geometriesOf(files, path, mesh)),
    rowsPath = cooked ? null : links.materialsOf(path);
  const rows = rowsPath ? ((await files.optional(files.read('materials', rowsPath))) ?? []) : [];
  const slots = new Set([...mesh.submeshes, ...mesh.primitives].map((part) => part.material));
  /** @type {any[]} */
  const materials = [];
  /** @type {Model['materials']} */
  const listed = [];
  const fallback = new MeshStandardMaterial({ roughness: 0.7 });
  await Promise.all(
    [...slots]
      .filter((slot) => slot !== NONE)
      .map(async (slot) => {
        const name = mesh.materialNames[slot] ?? `slot ${slot}`,
          assetPath = cooked ? files.assetPath(cooked.materials[slot] ?? '') : null;
        if (assetPath) {
          const made = await files.optional(files.cookedMaterial(assetPath));
          if (made) materials[slot] = made.material;
          const shown = files.root.byPath.get(assetPath);
          listed[slot] = {
            name: shown ? nameOf(files.root.nameOf(shown)) : assetPath,
            file: assetPath,
            row: 0,
            textures: made?.textures ?? [],
          };
          return;
        }
        if (!rows[slot]) {
          listed[slot] = { name, file: null, row: slot, textures: [] };
          return;
        }
        const made = await files.material(rows[slot], undefined, /** @type {string} */ (rowsPath), `row ${slot}`);
        made.material.name = name;
        materials[slot] = made.material;
        listed[slot] = { name, file: rowsPath, row: slot, textures: made.textures };
      }),
  );
  const group = new Group(),
    skeleton = buildSkeleton(mesh),
    copies = new Map();
  /** @type {Drawn[]} */
  const drawn = [];
  const of = (/** @type {number} */ slot) => (slot === NONE ? fallback : (materials[slot] ?? fallback));
  /** @type {import('three').AnimationClip[]} */
  let clips = [];
  if (geometries.levels.length > 0) {
    const geometry = geometries.levels[0],
      list = geometries.slots.map((slot) => materialFor(of(slot), geometry, copies));
    const object =
      skeleton && geometry.hasAttribute('skinIndex')
        ? new SkinnedMesh(geometry, list.length === 1 ? list[0] : list)
        : new Mesh(geometry, list.length === 1 ? list[0] : list);
    if (object instanceof SkinnedMesh && skeleton) {
      for (const bone of skeleton.roots) object.add(bone);
      object.updateMatrixWorld(true);
      object.bind(skeleton.skeleton, new Matrix4());
      object.frustumCulled = false;
      if (kind === 'asset') clips = await cookedClips(files, path, skeleton.skeleton.bones, mesh.jointNodes);
      const clipsPath = path.replace(/\.[^.]+$/, '.hanim');
      if (files.root.byPath.has(clipsPath)) {
        const found = await files.optional(files.read('clips', clipsPath));
        if (found && !found.ofScene) clips = buildClips(found, /** @type {Bone[]} */ (skeleton.skeleton.bones), clipsPath);
      }
    }
    if (object.morphTargetInfluences)
      mesh.targets.forEach((/** @type {any} */ target, /** @type {number} */ t) => {
        /** @type {number[]} */ (object.morphTargetInfluences)[t] = target.weight;
      });
    if (clusters) clusters.addInstance(object);
    drawn.push({ object, levels: geometries.levels, path, mesh });
    group.add(object);
  }
  for (const primitive of geometries.primitives) {
    const made = primitiveMaterial(of(primitive.material), primitive.topology, primitive.geometry.hasAttribute('color'), copies);
    group.add(primitive.topology === 'points' ? new Points(primitive.geometry, made) : new LineSegments(primitive.geometry, made));
  }
  return {
    group,
    drawn,
    clips,
    nodes: null,
    parts: null,
    variants: [],
    setVariant: () => {},
    materials: listed.filter(Boolean),
    used: files.used,
    problems: files.problems,
    clusters: files.clusterFiles.meshes,
    files,
    dispose: (kept) => disposeAll(group, files, kept?.group),
  };
}

/**
 * The mesh of a cooked asset, with the joints of its skeleton, which is another asset. Without that, it is drawn as it is stored.
 * @param {{ mesh: any, skeleton?: string | null }} cooked
 * @param {string} path
 * @param {Files} files
 */
async function withSkeleton({ mesh, skeleton }, path, files) {
  if (!mesh.skin) return mesh;
  const load = async () => {
    const from = skeleton ? files.assetPath(skeleton) : null;
    if (!from) throw fileError(path, 'SKEL', `the skeleton ${skeleton ?? ''} is not here; it is part of another registry or bundle`);
    const { joints, nodes } = await files.read('cookedSkeleton', from),
      bad = mesh.skin.joints.findIndex((/** @type {number} */ joint) => joint >= joints.length);
    if (bad !== -1)
      throw fileError(path, `vertex ${bad >> 2}`, `it names joint ${mesh.skin.joints[bad]}, but ${from} has ${joints.length}`);
    return { skeleton: joints, jointNodes: nodes };
  };
  const found = await files.optional(load());
  return found ? { ...mesh, ...found } : { ...mesh, skin: null };
}

/**
 * The clips of a cooked mesh: the animations of its folder that move its joints.
 * @param {Files} files
 * @param {string} path
 * @param {any[]} bones
 * @param {Uint32Array | null | undefined} nodes the node of each joint, which the channels of a model's animation name
 */
async function cookedClips(files, path, bones, nodes) {
  const { root } = files,
    folderOfAsset = (/** @type {any} */ asset) => asset.VirtualPath.slice(0, asset.VirtualPath.lastIndexOf('/') + 1),
    own = root.assetOf(path);
  if (!own) return [];
  const found = (root.registry?.Assets ?? []).filter(
    (/** @type {any} */ asset) => asset.Type === 'Animation' && folderOfAsset(asset) === folderOfAsset(own) && root.byPath.has(asset.CookedPath),
  );
  /** @type {import('three').AnimationClip[]} */
  const clips = [];
  for (const asset of found.slice(0, MOST_CLIPS)) {
    const clip = await files.optional(
      files.read('cookedClip', asset.CookedPath).then(({ hanim, ofModel }) => {
        if (!ofModel) return buildClips(hanim, bones, asset.CookedPath);
        const joints = new Map([...(nodes ?? [])].map((node, joint) => [node, joint]));
        const moved = hanim.clips.map((/** @type {any} */ one) => ({
          ...one,
          tracks: one.tracks
            .filter((/** @type {any} */ track) => track.property <= 2 && joints.has(track.object))
            .map((/** @type {any} */ track) => ({ ...track, object: joints.get(track.object) })),
        }));
        return buildClips({ ...hanim, clips: moved.filter((/** @type {any} */ one) => one.tracks.length > 0) }, bones, asset.CookedPath);
      }),
    );
    for (const one of clip ?? []) clips.push(Object.assign(one, { name: one.name || nameOf(asset.VirtualPath) }));
  }
  return clips;
}

/** @param {import('./app.js').Context} context @param {Files} files @returns {Promise<Model>} */
async function loadScene({ file: { path } }, files) {
  const parts = await files.read('scene', path);
  /** @type {Model['materials']} */
  const listed = [];
  const [meshes, materials, clips] = await Promise.all([
    Promise.all(
      parts.meshes.map(async (/** @type {any} */ mesh, /** @type {number} */ i) =>
        mesh.hash === 0n
          ? null
          : files.optional(
              (async () => {
                const meshPath = await files.pathOf(mesh.hash, path, `MESH[${i}]`);
                if (isClusters(files.root, meshPath)) {
                  const { mesh: file, geometries } = await files.clusters(meshPath);
                  return { path: meshPath, file, geometries };
                }
                const file = await files.read('mesh', meshPath);
                return { path: meshPath, file, geometries: await geometriesOf(files, meshPath, file) };
              })(),
            ),
      ),
    ),
    Promise.all(
      parts.materials.map(async (/** @type {any} */ material, /** @type {number} */ i) => {
        const found = await files.optional(
          (async () => {
            const place = `MTRL[${i}]`,
              rowsPath = await files.pathOf(material.hash, path, place),
              rows = await files.read('materials', rowsPath),
              row = rows[material.row];
            if (!row) throw fileError(path, place, `it is row ${material.row} of ${rowsPath}, which has ${rows.length}`);
            const made = await files.material(row, material, path, place);
            listed[i] = { name: material.name || `material ${i}`, file: rowsPath, row: material.row, textures: made.textures };
            return made.material;
          })(),
        );
        return found ?? new MeshStandardMaterial({ name: material.name });
      }),
    ),
    Promise.all(
      parts.clips.map(async (/** @type {any} */ clip, /** @type {number} */ i) =>
        files.optional(
          (async () => {
            const clipPath = await files.pathOf(clip.hash, path, `CLIP[${i}]`),
              all = await files.read('clips', clipPath),
              found = all.clips[clip.number];
            if (!found) throw fileError(path, `CLIP[${i}]`, `it is clip ${clip.number} of ${clipPath}, which has ${all.clips.length}`);
            return { path: clipPath, clip, found };
          })(),
        ),
      ),
    ),
  ]);
  const made = assemble(parts, path, meshes, materials, clips.filter(Boolean));
  /** @type {Drawn[]} */
  const drawn = [];
  const byGeometry = new Map(meshes.filter(Boolean).map((mesh) => [mesh.geometries.levels[0], mesh]));
  for (const [object, levels] of made.levels) {
    object.frustumCulled = false;
    const mesh = byGeometry.get(levels[0]);
    drawn.push({
      object,
      levels: mesh?.file.clusters ? [mesh.file.clusters.addInstance(object)] : levels,
      path: mesh?.path ?? '',
      mesh: mesh?.file,
    });
  }
  return {
    group: made.scene,
    drawn,
    clips: made.animations,
    nodes: made.nodes,
    parts,
    variants: made.variants,
    setVariant: made.setVariant,
    materials: listed.filter(Boolean),
    used: files.used,
    problems: files.problems,
    clusters: files.clusterFiles.meshes,
    files,
    dispose: (kept) => disposeAll(made.scene, files, kept?.group),
  };
}

/** @param {import('./data.js').Root} root @param {string} path */
const isClusters = (root, path) => path.endsWith('.hcluster') || root.byPath.get(path)?.type === 'Clusters';

/** @param {Files} files @param {string} path @param {any} mesh @returns {Promise<ReturnType<typeof buildGeometries>>} */
const geometriesOf = (files, path, mesh) => files.once(`geometries ${path}`, path, async () => buildGeometries(mesh));

/** What an object and those below it draw with. @param {any} group */
function resourcesOf(group) {
  /** @type {Set<any>} */
  const geometries = new Set(),
    /** @type {Set<any>} */
    materials = new Set(),
    /** @type {Set<any>} */
    textures = new Set();
  group.traverse((/** @type {any} */ object) => {
    if (object.geometry) geometries.add(object.geometry);
    for (const material of [object.material].flat()) {
      if (!material) continue;
      materials.add(material);
      for (const value of Object.values(material)) if (/** @type {any} */ (value)?.isTexture) textures.add(value);
    }
  });
  return { geometries, materials, textures };
}

/** @param {Group} group @param {Files} files @param {Group} [kept] what is drawn instead */
function disposeAll(group, { clusterFiles }, kept) {
  clusterFiles.close();
  const used = kept ? resourcesOf(kept) : null,
    own = resourcesOf(group);
  for (const kind of /** @type {const} */ (['geometries', 'materials', 'textures']))
    for (const one of own[kind]) if (!used?.[kind].has(one)) one.dispose();
}
