// The meshlets of a .hmesh: docs/formats/hmesh.md.
import { fileError, readChunks } from '../../three/src/reader.js';

const KNOWN = new Set(['VTXS', 'MLET', 'MLVR', 'MLTR', 'MLBN']);

/**
 * @param {Uint8Array} bytes
 * @param {string} file for errors
 * @returns {{ count: number, indices: Uint32Array, meshlets: Uint32Array }} `indices`: three vertices for each triangle; `meshlets`: the
 *   meshlet of each triangle
 */
export function readMeshlets(bytes, file) {
  const { chunks, encoded } = readChunks(bytes, file, 'HMSH', 2, KNOWN);
  for (const id of encoded.keys())
    throw fileError(file, id, 'the chunk is encoded, which the page does not read; build the mesh with mesh.compress: none');
  const rows = chunks.get('MLET'),
    vertices = chunks.get('MLVR'),
    corners = chunks.get('MLTR');
  if (!rows || !vertices || !corners) return { count: 0, indices: new Uint32Array(), meshlets: new Uint32Array() };
  if (rows.size % 16 !== 0 || vertices.size % 4 !== 0)
    throw fileError(file, 'MLET', `the chunk has ${rows.size} bytes, expected a multiple of 16`);
  const count = rows.size / 16,
    list = vertices.array('u32', 0, vertices.size / 4),
    vertexCount = (chunks.get('VTXS')?.size ?? 0) / 28;
  const indices = new Uint32Array(corners.size),
    meshlets = new Uint32Array(Math.floor(corners.size / 3));
  let at = 0;
  for (let m = 0; m < count; ++m) {
    const firstVertex = rows.u32(),
      vertexTotal = rows.u32(),
      firstTriangle = rows.u32(),
      triangles = rows.u32();
    vertices.need(4 * firstVertex, 4 * vertexTotal);
    corners.need(3 * firstTriangle, 3 * triangles);
    if (at + triangles > meshlets.length) throw fileError(file, `MLET[${m}]`, 'the meshlets have more triangles than MLTR');
    for (let t = 0; t < triangles; ++t, ++at) {
      meshlets[at] = m;
      for (let c = 0; c < 3; ++c) {
        const corner = corners.bytes[3 * (firstTriangle + t) + c],
          vertex = list[firstVertex + corner];
        if (corner >= vertexTotal || vertex >= vertexCount)
          throw fileError(file, `MLET[${m}]`, `corner ${corner} is not a vertex of the meshlet`);
        indices[3 * at + c] = vertex;
      }
    }
  }
  return { count, indices: indices.subarray(0, 3 * at), meshlets: meshlets.subarray(0, at) };
}
