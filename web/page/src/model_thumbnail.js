// Thumbnails of models and materials, for workers: the triangles of a coarse level, drawn without the GPU.
import { ClusterPool } from './cluster_pool.js';
import { drawTriangles, sphere } from './raster.js';

/** A full mesh with more triangles is drawn by its last level of detail. */
const MOST_TRIANGLES = 40_000;
/** Pictures that show less get no thumbnail, as those of a few objects far apart. */
const LEAST_COVERED = 0.01;
/** Errors of clusters, as a part of the size of the mesh. */
const CLUSTER_ERROR = 1 / 96;

/** @typedef {import('./raster.js').Surface} Surface @typedef {import('./raster.js').Triangles} Triangles */

/** @returns {Surface} */
const plain = () => ({ color: [0.5, 0.52, 0.56], texture: null, cutoff: 0 });

/**
 * The triangles of an Hmesh in the rest pose.
 * @param {any} mesh
 * @param {Surface[]} surfaces by slot
 * @returns {Triangles}
 */
export function trianglesOfMesh(mesh, surfaces) {
  const level = mesh.indices.length > 3 * MOST_TRIANGLES ? mesh.levels.at(-1) : null,
    surfaceOf = (/** @type {number} */ slot) => surfaces[slot] ?? plain();
  const ranges = mesh.submeshes.flatMap((/** @type {any} */ submesh, /** @type {number} */ s) => {
    const { first, count } = level?.ranges[s] ?? { first: submesh.firstIndex, count: submesh.indexCount };
    return count > 0 ? [{ first, count, surface: surfaceOf(submesh.material) }] : [];
  });
  const posed = mesh.skin && mesh.skeleton.length > 0 ? pose(mesh) : mesh;
  return { positions: posed.positions, normals: posed.normals, texcoords: mesh.texcoords, indices: level?.indices ?? mesh.indices, ranges };
}

/**
 * The triangles of a file with clusters, of which the first bytes may be all there is.
 * @param {import('./readers.js').Clusters} clusters
 * @param {Surface[]} surfaces by slot
 * @returns {Triangles}
 */
export function trianglesOfClusters(clusters, surfaces) {
  const { bounds, skeleton } = clusters.facts,
    far = bounds.radius * 4;
  // Clusters of a level cover the mesh once; seen from here, the error is about a pixel.
  const view = {
    eye: [bounds.center[0], bounds.center[1], bounds.center[2] + far],
    near: bounds.radius,
    limit: Math.max((2 * bounds.radius * CLUSTER_ERROR) / far, 1e-9),
    level: null,
  };
  const { cuts, added } = new ClusterPool(clusters).cut([view]).result,
    [cut] = cuts;
  const ranges = cut.groups.map(({ start, count, material }) => ({ first: start, count, surface: surfaces[material] ?? plain() }));
  const mesh = { positions: added.position, normals: added.normal, skeleton, skin: { joints: added.skinIndex, weights: added.skinWeight } },
    posed = skeleton.length > 0 && added.skinIndex.length > 0 ? pose(mesh) : mesh;
  return {
    positions: posed.positions,
    normals: posed.normals,
    texcoords: added.uv.length > 0 ? added.uv : null,
    indices: cut.indices,
    ranges,
  };
}

/** a * b of matrices in columns. @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export function multiply(a, b) {
  const out = new Float64Array(16);
  for (let c = 0; c < 4; ++c)
    for (let r = 0; r < 4; ++r) for (let k = 0; k < 4; ++k) out[4 * c + r] += a[4 * k + r] * b[4 * c + k];
  return out;
}

/** @param {{ translation: number[], rotation: number[], scale: number[] }} transform rotation: x y z w */
export function compose({ translation: t, rotation: [x, y, z, w], scale: s }) {
  return [
    (1 - 2 * (y * y + z * z)) * s[0],
    2 * (x * y + z * w) * s[0],
    2 * (x * z - y * w) * s[0],
    0,
    2 * (x * y - z * w) * s[1],
    (1 - 2 * (x * x + z * z)) * s[1],
    2 * (y * z + x * w) * s[1],
    0,
    2 * (x * z + y * w) * s[2],
    2 * (y * z - x * w) * s[2],
    (1 - 2 * (x * x + y * y)) * s[2],
    0,
    t[0],
    t[1],
    t[2],
    1,
  ];
}

/** Moves positions and normals. @param {{ positions: Float32Array, normals: Float32Array | null }} from @param {ArrayLike<number>} m */
export function transform({ positions, normals }, m) {
  const out = { positions: new Float32Array(positions.length), normals: normals ? new Float32Array(normals.length) : null };
  for (let i = 0; i < positions.length; i += 3)
    for (let k = 0; k < 3; ++k) {
      out.positions[i + k] = m[k] * positions[i] + m[4 + k] * positions[i + 1] + m[8 + k] * positions[i + 2] + m[12 + k];
      if (out.normals && normals) out.normals[i + k] = m[k] * normals[i] + m[4 + k] * normals[i + 1] + m[8 + k] * normals[i + 2];
    }
  return out;
}

/** A skinned mesh in the rest pose of its joints. @param {any} mesh */
function pose({ positions, normals, skin: { joints, weights }, skeleton }) {
  /** @type {(Float64Array | null)[]} */
  const worlds = skeleton.map(() => null);
  const worldOf = (/** @type {number} */ i) => {
    const up = [];
    for (let j = i; j !== -1 && !worlds[j]; j = skeleton[j].parent) up.push(j);
    for (const j of up.reverse()) {
      const { parent } = skeleton[j],
        own = compose(skeleton[j]);
      worlds[j] = parent === -1 ? Float64Array.from(own) : multiply(/** @type {Float64Array} */ (worlds[parent]), own);
    }
    return /** @type {Float64Array} */ (worlds[i]);
  };
  const matrices = skeleton.map((/** @type {any} */ joint, /** @type {number} */ i) => multiply(worldOf(i), joint.inverseBind));
  const out = { positions: new Float32Array(positions.length), normals: new Float32Array(normals.length) };
  for (let v = 0; v < positions.length / 3; ++v)
    for (let c = 0; c < 4; ++c) {
      const weight = weights[4 * v + c],
        m = matrices[joints[4 * v + c]];
      if (weight === 0 || !m) continue;
      for (let k = 0; k < 3; ++k) {
        const [x, y, z] = [positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]],
          [nx, ny, nz] = [normals[3 * v], normals[3 * v + 1], normals[3 * v + 2]];
        out.positions[3 * v + k] += weight * (m[k] * x + m[4 + k] * y + m[8 + k] * z + m[12 + k]);
        out.normals[3 * v + k] += weight * (m[k] * nx + m[4 + k] * ny + m[8 + k] * nz);
      }
    }
  return out;
}

/**
 * @param {{ triangles: Triangles, matrices: number[][] | null }[]} meshes matrices: one for each instance; null: as it is
 * @param {number} size in pixels
 */
export function modelPicture(meshes, size) {
  const parts = meshes.flatMap(({ triangles, matrices }) =>
    matrices === null ? [triangles] : matrices.map((matrix) => ({ ...triangles, ...transform(triangles, matrix) })),
  );
  if (parts.every(({ indices }) => indices.length === 0)) throw new Error('there are no triangles');
  if (parts.some(({ ranges }) => ranges.some(({ surface }) => !surface.isClear)))
    for (const part of parts) part.ranges = part.ranges.filter(({ surface }) => !surface.isClear);
  const picture = drawTriangles(parts, size);
  let covered = 0;
  for (let i = 3; i < picture.data.length; i += 4) covered += picture.data[i] / 255;
  if (covered < LEAST_COVERED * size * size) throw new Error('the model covers too little of the picture');
  return picture;
}

/** @param {Surface} surface @param {number} size in pixels */
export const materialPicture = (surface, size) => drawTriangles([sphere(surface)], size);
