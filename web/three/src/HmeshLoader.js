// Geometry of .hmesh files.
import { BufferGeometry } from 'three';
import { MeshLoader } from './load.js';
import { buildGeometries, buildSkeleton } from './geometry.js';
import { parseHmesh } from './hmesh.js';

/**
 * A mesh: geometries of three.js, and the parts that three.js has no place for.
 * @typedef {object} HmeshResult
 * @property {import('three').BufferGeometry} geometry the full mesh; empty if the mesh has only points and lines
 * @property {import('three').BufferGeometry[]} levels levels of detail, the full mesh first; they share their vertices
 * @property {number[]} slots the material slot of each `materialIndex` of the groups; 0xFFFFFFFF: none
 * @property {import('./geometry.js').PrimitiveGeometry[]} primitives points and lines, drawn at every level
 * @property {string[]} materialNames the name of each slot, if the file has names
 * @property {bigint[]} materials the hash of each slot's ref
 * @property {{ skeleton: import('three').Skeleton, roots: import('three').Bone[] } | null} skeleton the bones of a skinned mesh
 * @property {import('./hmesh.js').Hmesh} mesh the parts of the file
 */

/**
 * Loads geometry from .hmesh files of version 2. A file that breaks the format, or is cut off, ends in an AssetcError.
 * @extends {MeshLoader<HmeshResult>}
 */
export class HmeshLoader extends MeshLoader {
  /**
   * @param {string} url
   * @param {(event: ProgressEvent) => void} [onProgress]
   */
  async readUrl(url, onProgress) {
    await this.readyDecoders();
    return this.parse(await this.requestBytes(url, onProgress), url);
  }

  /**
   * Makes geometries from the bytes of a file. Decoders must be ready.
   * @param {ArrayBuffer | Uint8Array} data
   * @param {string} [name] of the file, for errors
   * @returns {HmeshResult}
   */
  parse(data, name = 'mesh.hmesh') {
    const mesh = parseHmesh(data, name, this.decoders), { levels, slots, primitives } = buildGeometries(mesh);
    return {
      geometry: levels[0] ?? new BufferGeometry(), levels, slots, primitives, materialNames: mesh.materialNames, materials: mesh.materials,
      skeleton: buildSkeleton(mesh), mesh,
    };
  }
}
