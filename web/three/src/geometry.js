// BufferGeometry from the parts of a .hmesh.
import { Bone, Box3, BufferAttribute, BufferGeometry, Matrix4, Skeleton, Sphere, Vector3 } from 'three';
import { attributeValues } from './hmesh.js';

/**
 * @typedef {import('./hmesh.js').Hmesh} Hmesh
 * @typedef {import('./hmesh.js').Bounds} Bounds
 */

const TEXCOORD = 3, COLOR = 4;

/** @param {number} set @returns {string} the name of a set of texture coordinates in three.js */
const uvName = (set) => set === 0 ? 'uv' : `uv${set}`;

/**
 * The vertices of a mesh, without indices.
 * @param {Hmesh} mesh
 * @returns {BufferGeometry}
 */
function vertices(mesh) {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(mesh.positions, 3));
  geometry.setAttribute('normal', new BufferAttribute(mesh.normals, 3));
  if (mesh.hasTangents) geometry.setAttribute('tangent', new BufferAttribute(mesh.tangents, 4));
  geometry.setAttribute('uv', new BufferAttribute(mesh.texcoords, 2));
  for (const attribute of mesh.further?.attributes ?? []) {
    const { array, itemSize, normalized } = attributeValues(/** @type {any} */ (mesh.further), attribute, mesh.vertexCount);
    const name = attribute.semantic === TEXCOORD ? (attribute.set === 0 ? 'uvOfSet0' : uvName(attribute.set))
      : attribute.semantic === COLOR ? (attribute.set === 0 ? 'color' : `color_${attribute.set}`)
        : attribute.set === 0 ? attribute.name.toLowerCase() : `${attribute.name.toLowerCase()}_${attribute.set}`;
    if (name !== '' && !geometry.hasAttribute(name)) geometry.setAttribute(name, new BufferAttribute(array, itemSize, normalized));
  }
  if (mesh.skin) {
    geometry.setAttribute('skinIndex', new BufferAttribute(mesh.skin.joints, 4));
    geometry.setAttribute('skinWeight', new BufferAttribute(mesh.skin.weights, 4));
  }
  if (mesh.targets.length > 0) {
    geometry.morphTargetsRelative = true;
    const kinds = /** @type {const} */ (['position', 'normal']);
    for (let kind = 0; kind < mesh.targets[0].moves.length && kind < 2; ++kind) {
      geometry.morphAttributes[kinds[kind]] = mesh.targets.map((target) => {
        const offsets = new Float32Array(mesh.vertexCount * 3);
        target.vertices.forEach((vertex, m) => offsets.set(target.moves[kind].subarray(3 * m, 3 * m + 3), 3 * vertex));
        const attribute = new BufferAttribute(offsets, 3);
        attribute.name = target.name;
        return attribute;
      });
    }
  }
  return geometry;
}

/** @param {BufferGeometry} geometry @param {Bounds} bounds */
function setBounds(geometry, bounds) {
  geometry.boundingBox = new Box3(new Vector3(...bounds.min), new Vector3(...bounds.max));
  geometry.boundingSphere = new Sphere(new Vector3(...bounds.center), bounds.radius);
}

/**
 * A geometry with the vertices of another one and its own indices.
 * @param {BufferGeometry} source
 * @param {Uint16Array | Uint32Array} indices
 * @param {Bounds} bounds
 */
function withIndices(source, indices, bounds) {
  const geometry = new BufferGeometry();
  for (const [name, attribute] of Object.entries(source.attributes)) geometry.setAttribute(name, attribute);
  for (const [name, attributes] of Object.entries(source.morphAttributes)) /** @type {any} */ (geometry.morphAttributes)[name] = attributes;
  geometry.morphTargetsRelative = source.morphTargetsRelative;
  geometry.setIndex(new BufferAttribute(indices, 1));
  setBounds(geometry, bounds);
  return geometry;
}

/**
 * A submesh or a primitive of points or lines, drawn alone.
 * @typedef {{ geometry: BufferGeometry, material: number, name: string, lit: boolean, topology: 'points' | 'lines' }} PrimitiveGeometry
 */

/**
 * The geometries of a mesh. They share their vertices.
 * @typedef {object} MeshGeometries
 * @property {BufferGeometry[]} levels level 0 is the full mesh; `groups` are the submeshes
 * @property {number[]} slots the material slot of each `materialIndex` of the groups; NONE: no material
 * @property {PrimitiveGeometry[]} primitives points and lines, drawn at every level
 */

/**
 * Makes the geometries of a mesh.
 * @param {Hmesh} mesh
 * @returns {MeshGeometries}
 */
export function buildGeometries(mesh) {
  const slots = [...new Set(mesh.submeshes.map((submesh) => submesh.material))];
  const numbers = new Map(slots.map((slot, i) => [slot, i]));
  const all = vertices(mesh);
  /** @type {BufferGeometry[]} */
  const levels = [];
  if (mesh.submeshes.length > 0) {
    const full = withIndices(all, mesh.indices, mesh.bounds);
    for (const { firstIndex, indexCount, material } of mesh.submeshes) full.addGroup(firstIndex, indexCount, numbers.get(material));
    levels.push(full);
    // A submesh without indices in a level is drawn as in the level before.
    let parts = mesh.submeshes.map(({ firstIndex, indexCount }) => /** @type {Uint16Array | Uint32Array} */ (mesh.indices.subarray(firstIndex, firstIndex + indexCount)));
    for (const level of mesh.levels) {
      parts = parts.map((part, s) => level.ranges[s].count === 0 ? part : level.indices.subarray(level.ranges[s].first, level.ranges[s].first + level.ranges[s].count));
      const size = parts.reduce((sum, part) => sum + part.length, 0);
      const indices = mesh.vertexCount > 65535 ? new Uint32Array(size) : new Uint16Array(size);
      const geometry = withIndices(all, indices, mesh.bounds);
      let at = 0;
      parts.forEach((part, s) => {
        indices.set(part, at);
        geometry.addGroup(at, part.length, numbers.get(mesh.submeshes[s].material));
        at += part.length;
      });
      levels.push(geometry);
    }
  }
  const primitives = mesh.primitives.map((primitive) => ({
    geometry: withIndices(all, primitive.indices, primitive.bounds), material: primitive.material, name: primitive.name,
    lit: (primitive.flags & 1) !== 0, topology: primitive.topology,
  }));
  return { levels, slots, primitives };
}

/**
 * The bones of a skinned mesh in the rest pose.
 * @param {Hmesh} mesh
 * @returns {{ skeleton: Skeleton, roots: Bone[] } | null} null: the mesh has no skeleton
 */
export function buildSkeleton(mesh) {
  if (mesh.skeleton.length === 0) return null;
  const bones = mesh.skeleton.map((joint) => {
    const bone = new Bone();
    bone.name = joint.name;
    bone.position.fromArray(joint.translation);
    bone.quaternion.fromArray(/** @type {any} */ (joint.rotation));
    bone.scale.fromArray(joint.scale);
    return bone;
  });
  const roots = bones.filter((bone, i) => {
    const parent = mesh.skeleton[i].parent;
    if (parent === -1) return true;
    bones[parent].add(bone);
    return false;
  });
  return { skeleton: new Skeleton(bones, mesh.skeleton.map((joint) => new Matrix4().fromArray(joint.inverseBind))), roots };
}
