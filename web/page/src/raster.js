// Draws small pictures of triangles without the GPU, for thumbnails in workers. The camera is that of `assetc render`.

const FIELD_OF_VIEW = Math.PI / 6,
  MARGIN = 1.02,
  YAW = Math.PI / 6,
  PITCH = Math.PI / 12;
/** Each pixel is the average of these rows and columns. */
const SAMPLES = 2;
/** Towards the light, in the space of the camera. */
const LIGHT = [-0.42, 0.64, 0.64];

/**
 * Triangles in the space of the picture. The material of a triangle is that of its range of indices.
 * @typedef {{ width: number, height: number, data: ArrayLike<number> }} Texels RGBA of 8 bits
 * @typedef {{ color: number[], texture: Texels | null, cutoff: number, unlit?: boolean, isClear?: boolean }} Surface color: linear; cutoff: of
 *   alpha, 0 for none; isClear: glass, which is drawn only if there is nothing else
 * @typedef {{ positions: Float32Array, normals: Float32Array | null, texcoords: Float32Array | null, indices: ArrayLike<number>,
 *   ranges: { first: number, count: number, surface: Surface }[] }} Triangles
 */

const toLinear = Float32Array.from({ length: 256 }, (_, i) => (i <= 10 ? i / 255 / 12.92 : ((i / 255 + 0.055) / 1.055) ** 2.4));
/** @param {number} value linear */
const toSrgb = (value) => (value <= 0.0031308 ? 12.92 * value : 1.055 * Math.min(value, 1) ** (1 / 2.4) - 0.055);

/** The sphere around what is drawn. @param {Triangles[]} parts */
function sphereOf(parts) {
  const low = [Infinity, Infinity, Infinity],
    high = [-Infinity, -Infinity, -Infinity];
  const each = (/** @type {(p: Float32Array, at: number) => void} */ work) => {
    for (const { positions, indices } of parts) for (let i = 0; i < indices.length; ++i) work(positions, 3 * indices[i]);
  };
  each((p, at) => {
    for (let k = 0; k < 3; ++k) {
      low[k] = Math.min(low[k], p[at + k]);
      high[k] = Math.max(high[k], p[at + k]);
    }
  });
  const center = low.map((value, k) => (value + high[k]) / 2);
  let squared = 0;
  each((p, at) => {
    squared = Math.max(squared, (p[at] - center[0]) ** 2 + (p[at + 1] - center[1]) ** 2 + (p[at + 2] - center[2]) ** 2);
  });
  return { center, radius: Math.max(Math.sqrt(squared), 1e-9) };
}

/**
 * @param {Triangles[]} parts
 * @param {number} size of the picture, in pixels
 * @returns {{ width: number, height: number, data: Uint8ClampedArray<ArrayBuffer> }} RGBA; the background is transparent
 */
export function drawTriangles(parts, size) {
  const side = size * SAMPLES,
    { center, radius } = sphereOf(parts),
    distance = (radius * MARGIN) / Math.sin(FIELD_OF_VIEW / 2),
    focal = side / 2 / Math.tan(FIELD_OF_VIEW / 2);
  const [sinYaw, cosYaw, sinPitch, cosPitch] = [Math.sin(YAW), Math.cos(YAW), Math.sin(PITCH), Math.cos(PITCH)],
    back = [sinYaw * cosPitch, sinPitch, cosYaw * cosPitch],
    right = [cosYaw, 0, -sinYaw],
    up = [-sinYaw * sinPitch, cosPitch, -cosYaw * sinPitch];
  const light = [0, 1, 2].map((k) => LIGHT[0] * right[k] + LIGHT[1] * up[k] + LIGHT[2] * back[k]);
  const colors = new Float32Array(4 * side * side),
    depths = new Float32Array(side * side).fill(Infinity);
  for (const { positions, normals, texcoords, indices, ranges } of parts) {
    const count = positions.length / 3,
      screen = new Float32Array(3 * count);
    for (let v = 0; v < count; ++v) {
      const x = positions[3 * v] - center[0],
        y = positions[3 * v + 1] - center[1],
        z = positions[3 * v + 2] - center[2],
        depth = distance - (x * back[0] + y * back[1] + z * back[2]);
      screen[3 * v] = side / 2 + (focal * (x * right[0] + y * right[1] + z * right[2])) / depth;
      screen[3 * v + 1] = side / 2 - (focal * (x * up[0] + y * up[1] + z * up[2])) / depth;
      screen[3 * v + 2] = depth;
    }
    for (const { first, count: size_, surface } of ranges)
      for (let i = first; i + 2 < first + size_; i += 3)
        fill({ screen, positions, normals, texcoords, corners: [indices[i], indices[i + 1], indices[i + 2]], surface, side, light, back, colors, depths });
  }
  const data = new Uint8ClampedArray(4 * size * size);
  for (let y = 0; y < size; ++y)
    for (let x = 0; x < size; ++x) {
      const sum = [0, 0, 0, 0];
      for (let s = 0; s < SAMPLES * SAMPLES; ++s) {
        const at = 4 * ((y * SAMPLES + Math.floor(s / SAMPLES)) * side + x * SAMPLES + (s % SAMPLES));
        for (let c = 0; c < 4; ++c) sum[c] += colors[at + c];
      }
      const to = 4 * (y * size + x);
      for (let c = 0; c < 3; ++c) data[to + c] = 255 * toSrgb(sum[3] > 0 ? sum[c] / sum[3] : 0);
      data[to + 3] = (255 * sum[3]) / (SAMPLES * SAMPLES);
    }
  return { width: size, height: size, data };
}

/** @param {any} triangle */
function fill({ screen, positions, normals, texcoords, corners, surface, side, light, back, colors, depths }) {
  const [a, b, c] = corners,
    [ax, ay, bx, by, cx, cy] = [screen[3 * a], screen[3 * a + 1], screen[3 * b], screen[3 * b + 1], screen[3 * c], screen[3 * c + 1]];
  const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
  if (!(Math.abs(area) > 1e-12) || !Number.isFinite(area)) return;
  const x0 = Math.max(0, Math.floor(Math.min(ax, bx, cx))),
    x1 = Math.min(side - 1, Math.ceil(Math.max(ax, bx, cx))),
    y0 = Math.max(0, Math.floor(Math.min(ay, by, cy))),
    y1 = Math.min(side - 1, Math.ceil(Math.max(ay, by, cy)));
  if (x1 < x0 || y1 < y0) return;
  const normal = normals ? null : faceNormal(positions, corners);
  const { color, texture, cutoff, unlit } = surface;
  for (let y = y0; y <= y1; ++y)
    for (let x = x0; x <= x1; ++x) {
      const px = x + 0.5,
        py = y + 0.5,
        u = ((bx - px) * (cy - py) - (by - py) * (cx - px)) / area,
        v = ((cx - px) * (ay - py) - (cy - py) * (ax - px)) / area,
        w = 1 - u - v;
      if (u < 0 || v < 0 || w < 0) continue;
      const depth = u * screen[3 * a + 2] + v * screen[3 * b + 2] + w * screen[3 * c + 2],
        at = y * side + x;
      if (!(depth < depths[at])) continue;
      let [red, green, blue] = color;
      if (texture && texcoords) {
        const s = u * texcoords[2 * a] + v * texcoords[2 * b] + w * texcoords[2 * c],
          t = u * texcoords[2 * a + 1] + v * texcoords[2 * b + 1] + w * texcoords[2 * c + 1],
          column = Math.min(texture.width - 1, Math.floor((s - Math.floor(s)) * texture.width)),
          row = Math.min(texture.height - 1, Math.floor((t - Math.floor(t)) * texture.height)),
          from = 4 * (row * texture.width + column);
        if (cutoff > 0 && texture.data[from + 3] < 255 * cutoff) continue;
        red *= toLinear[texture.data[from]];
        green *= toLinear[texture.data[from + 1]];
        blue *= toLinear[texture.data[from + 2]];
      }
      let nx, ny, nz;
      if (normal) [nx, ny, nz] = normal;
      else {
        nx = u * normals[3 * a] + v * normals[3 * b] + w * normals[3 * c];
        ny = u * normals[3 * a + 1] + v * normals[3 * b + 1] + w * normals[3 * c + 1];
        nz = u * normals[3 * a + 2] + v * normals[3 * b + 2] + w * normals[3 * c + 2];
      }
      const length = Math.hypot(nx, ny, nz) || 1,
        // Both sides of a triangle are lit.
        facing = (nx * back[0] + ny * back[1] + nz * back[2]) / length,
        lambert = ((nx * light[0] + ny * light[1] + nz * light[2]) / length) * (facing < 0 ? -1 : 1),
        shade = unlit ? 1 : 0.28 + 0.16 * Math.abs(facing) + 0.7 * Math.max(0, lambert);
      depths[at] = depth;
      colors[4 * at] = red * shade;
      colors[4 * at + 1] = green * shade;
      colors[4 * at + 2] = blue * shade;
      colors[4 * at + 3] = 1;
    }
}

/** @param {Float32Array} p @param {number[]} corners */
function faceNormal(p, [a, b, c]) {
  const [ux, uy, uz] = [0, 1, 2].map((k) => p[3 * b + k] - p[3 * a + k]),
    [vx, vy, vz] = [0, 1, 2].map((k) => p[3 * c + k] - p[3 * a + k]);
  return [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
}

/** A sphere, for materials. @param {Surface} surface @returns {Triangles} */
export function sphere(surface) {
  const rows = 24,
    columns = 48,
    positions = [],
    texcoords = [],
    indices = [];
  for (let r = 0; r <= rows; ++r)
    for (let c = 0; c <= columns; ++c) {
      const polar = (Math.PI * r) / rows,
        turn = (2 * Math.PI * c) / columns;
      positions.push(-Math.cos(turn) * Math.sin(polar), Math.cos(polar), Math.sin(turn) * Math.sin(polar));
      texcoords.push((2 * c) / columns, r / rows);
      if (r === rows || c === columns) continue;
      const at = r * (columns + 1) + c;
      indices.push(at, at + columns + 1, at + 1, at + 1, at + columns + 1, at + columns + 2);
    }
  const list = new Float32Array(positions);
  return {
    positions: list,
    normals: list,
    texcoords: new Float32Array(texcoords),
    indices,
    ranges: [{ first: 0, count: indices.length, surface }],
  };
}
