// Models that tests make.

/**
 * A .glb of a sphere with bumps, whose halves have different materials.
 * @param {number} rows of the sphere; it has about 4 * rows * rows triangles
 * @param {boolean} [withTarget] a morph target doubles its height
 * @returns {Buffer}
 */
export function bumpySphere(rows, withTarget = false) {
  const columns = 2 * rows,
    positions = new Float32Array(3 * (rows + 1) * (columns + 1)),
    texcoords = new Float32Array(2 * (rows + 1) * (columns + 1));
  for (let r = 0, v = 0; r <= rows; ++r)
    for (let c = 0; c <= columns; ++c, ++v) {
      const polar = (Math.PI * r) / rows,
        turn = (2 * Math.PI * (c % columns)) / columns,
        radius = 1 + 0.06 * Math.sin(9 * polar) * Math.sin(11 * turn) + 0.012 * Math.sin(71 * polar) * Math.sin(60 * turn);
      positions.set(
        [radius * Math.sin(polar) * Math.cos(turn), radius * Math.cos(polar), radius * Math.sin(polar) * Math.sin(turn)],
        3 * v,
      );
      texcoords.set([c / columns, r / rows], 2 * v);
    }
  /** @type {number[][]} */
  const halves = [[], []];
  for (let r = 0; r < rows; ++r)
    for (let c = 0; c < columns; ++c) {
      const a = r * (columns + 1) + c,
        b = a + columns + 1,
        out = halves[2 * r < rows ? 0 : 1];
      if (r > 0) out.push(a, a + 1, b + 1);
      if (r < rows - 1) out.push(a, b + 1, b);
    }
  const moved = positions.map((value, i) => (i % 3 === 1 ? value : 0)),
    parts = [positions, texcoords, ...halves.map((half) => new Uint32Array(half)), ...(withTarget ? [moved] : [])],
    sizes = parts.map((part) => part.byteLength),
    offsets = sizes.map((_, i) => sizes.slice(0, i).reduce((sum, size) => sum + size, 0)),
    total = sizes.reduce((sum, size) => sum + size, 0);
  const json = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0, 1] }],
    nodes: [
      { name: 'Near', mesh: 0 },
      { name: 'Far', mesh: 0, translation: [2.5, 0, -60] },
    ],
    meshes: [
      {
        name: 'sphere',
        primitives: halves.map((_, i) => ({
          attributes: { POSITION: 0, TEXCOORD_0: 1 },
          indices: 2 + i,
          material: i,
          ...(withTarget ? { targets: [{ POSITION: 4 }] } : {}),
        })),
        ...(withTarget ? { extras: { targetNames: ['tall'] } } : {}),
      },
    ],
    materials: [
      { name: 'upper', pbrMetallicRoughness: { baseColorFactor: [0.8, 0.25, 0.1, 1], metallicFactor: 0, roughnessFactor: 0.6 } },
      { name: 'lower', pbrMetallicRoughness: { baseColorFactor: [0.1, 0.3, 0.8, 1], metallicFactor: 0, roughnessFactor: 0.6 } },
    ],
    accessors: [
      { bufferView: 0, componentType: 5126, count: positions.length / 3, type: 'VEC3', min: [-1.1, -1.1, -1.1], max: [1.1, 1.1, 1.1] },
      { bufferView: 1, componentType: 5126, count: texcoords.length / 2, type: 'VEC2' },
      ...halves.map((half, i) => ({ bufferView: 2 + i, componentType: 5125, count: half.length, type: 'SCALAR' })),
      ...(withTarget
        ? [{ bufferView: 4, componentType: 5126, count: positions.length / 3, type: 'VEC3', min: [0, -2, 0], max: [0, 2, 0] }]
        : []),
    ],
    bufferViews: parts.map((_, i) => ({ buffer: 0, byteOffset: offsets[i], byteLength: sizes[i] })),
    buffers: [{ byteLength: total }],
  };
  const low = [Infinity, Infinity, Infinity],
    high = [-Infinity, -Infinity, -Infinity];
  positions.forEach((value, i) => {
    low[i % 3] = Math.min(low[i % 3], value);
    high[i % 3] = Math.max(high[i % 3], value);
  });
  Object.assign(json.accessors[0], { min: low, max: high });
  let text = JSON.stringify(json);
  text += ' '.repeat((4 - (text.length % 4)) % 4);
  const head = Buffer.alloc(12 + 8);
  head.write('glTF');
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(12 + 8 + text.length + 8 + total, 8);
  head.writeUInt32LE(text.length, 12);
  head.write('JSON', 16);
  const chunk = Buffer.alloc(8);
  chunk.writeUInt32LE(total, 0);
  chunk.write('BIN\0', 4, 'latin1');
  return Buffer.concat([head, Buffer.from(text), chunk, ...parts.map((part) => Buffer.from(part.buffer))]);
}
