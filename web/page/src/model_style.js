// Ways to draw a model: its materials, plain, or its attributes and meshlets as colors.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  MeshBasicMaterial,
  MeshStandardMaterial,
  ShaderMaterial,
  SkinnedMesh,
  Mesh,
} from 'three';

const VERTEX = `
#include <common>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
attribute vec4 tangent;
attribute vec4 color;
attribute vec2 cluster;
uniform int mode;
varying vec3 vColor;
varying vec2 vUv;
vec3 hashColor(float i) { float h = fract(i * 0.61803398875) * 6.0; return clamp(abs(mod(h + vec3(0, 4, 2), 6.0) - 3.0) - 1.0, 0.0, 1.0) * 0.8 + 0.1; }
void main() {
  #include <beginnormal_vertex>
  #include <morphnormal_vertex>
  #include <skinbase_vertex>
  #include <skinnormal_vertex>
  #include <begin_vertex>
  #include <morphtarget_vertex>
  #include <skinning_vertex>
  #include <project_vertex>
  vUv = uv;
  vColor = vec3(0.5);
  if (mode == 0) vColor = normalize(objectNormal) * 0.5 + 0.5;
  if (mode == 2) vColor = length(tangent.xyz) > 0.0 ? (tangent.w < 0.0 ? 0.35 : 0.5) * (normalize(tangent.xyz) + 1.0) : vec3(0.15);
  if (mode == 3) vColor = color.rgb;
  if (mode > 4) vColor = (mode == 5 ? hashColor(cluster.x + 1.0) : hashColor(1.7 * cluster.y)) * 0.75 + 0.15;
  if (mode > 4) vColor *= (0.4 + 0.6 * abs(normalize(normalMatrix * objectNormal).z));
  #ifdef USE_SKINNING
  if (mode == 4) for (int i = 0; i < 4; ++i) vColor = (i == 0 ? vec3(0) : vColor) + skinWeight[i] * hashColor(skinIndex[i]);
  #endif
}`;
const FRAGMENT = `
uniform int mode;
varying vec3 vColor;
varying vec2 vUv;
void main() {
  vec3 c = vColor;
  if (mode == 1) {
    float big = mod(floor(vUv.x * 8.0) + floor(vUv.y * 8.0), 2.0), small = mod(floor(vUv.x * 64.0) + floor(vUv.y * 64.0), 2.0);
    c = vec3(fract(vUv), 0.35) * (0.62 + 0.28 * big + 0.1 * small);
  }
  gl_FragColor = vec4(c, 1);
}`;

/** The styles that show an attribute, by number in the shader. */
const ATTRIBUTES = { normals: 0, uv: 1, tangents: 2, colors: 3, weights: 4, clusters: 5, clusterLevels: 6 };

/** Styles with their names. @typedef {'material' | 'plain' | 'meshlets' | keyof typeof ATTRIBUTES} Style */
export const STYLES = /** @type {{ value: Style, text: string }[]} */ ([
  { value: 'material', text: 'Materials' },
  { value: 'plain', text: 'Plain' },
  { value: 'normals', text: 'Normals' },
  { value: 'uv', text: 'UV' },
  { value: 'tangents', text: 'Tangents' },
  { value: 'colors', text: 'Vertex colors' },
  { value: 'weights', text: 'Joint weights' },
  { value: 'meshlets', text: 'Meshlets' },
  { value: 'clusters', text: 'Clusters' },
  { value: 'clusterLevels', text: 'Levels of clusters' },
]);

/** Whether a geometry has what a style shows. @param {Style} style @param {BufferGeometry[]} geometries */
export function isAvailable(style, geometries) {
  const attribute = { tangents: 'tangent', colors: 'color', weights: 'skinWeight', clusters: 'cluster', clusterLevels: 'cluster' }[/** @type {string} */ (style)];
  return attribute === undefined || geometries.some((geometry) => geometry.hasAttribute(attribute));
}

/** @param {Style} style @returns {any} a material, or null for the model's own */
export function styleMaterial(style) {
  if (style === 'material') return null;
  if (style === 'plain') return new MeshStandardMaterial({ color: 0xb8bcc4, roughness: 0.65, side: DoubleSide });
  if (style === 'meshlets') return new MeshStandardMaterial({ vertexColors: true, roughness: 0.8, side: DoubleSide });
  return new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    side: DoubleSide,
    toneMapped: false,
    uniforms: { mode: { value: ATTRIBUTES[style] } },
  });
}

/**
 * The triangles of meshlets with a color for each.
 * @param {any} source a geometry
 * @param {{ indices: Uint32Array, meshlets: Uint32Array }} meshlets
 */
export function meshletGeometry(source, { indices, meshlets }) {
  const geometry = new BufferGeometry();
  for (const name of ['position', 'normal', 'skinIndex', 'skinWeight']) {
    const attribute = source.getAttribute(name);
    if (!attribute) continue;
    const { itemSize, array } = attribute,
      out = new array.constructor(indices.length * itemSize);
    for (let i = 0; i < indices.length; ++i) for (let c = 0; c < itemSize; ++c) out[i * itemSize + c] = array[indices[i] * itemSize + c];
    geometry.setAttribute(name, new BufferAttribute(out, itemSize, attribute.normalized));
  }
  const colors = new Float32Array(indices.length * 3),
    color = new Color();
  meshlets.forEach((meshlet, t) => {
    color.setHSL((meshlet * 0.61803398875) % 1, 0.55 + 0.3 * ((meshlet * 0.37) % 1), 0.45 + 0.2 * ((meshlet * 0.71) % 1));
    for (let c = 0; c < 3; ++c) color.toArray(colors, 9 * t + 3 * c);
  });
  geometry.setAttribute('color', new BufferAttribute(colors, 3));
  return geometry;
}

/** A mesh of edges over another mesh. @param {any} object @param {string} color */
export function wireOver(object, color) {
  const material = new MeshBasicMaterial({
    wireframe: true,
    color,
    transparent: true,
    opacity: 0.45,
    depthWrite: false,
    polygonOffset: true,
    polygonOffsetFactor: -1,
    toneMapped: false,
  });
  /** @type {any} */
  const wire = object.isSkinnedMesh ? new SkinnedMesh(object.geometry, material) : new Mesh(object.geometry, material);
  if (object.isSkinnedMesh) {
    wire.bind(object.skeleton, object.bindMatrix);
    wire.frustumCulled = false;
  }
  wire.morphTargetInfluences = object.morphTargetInfluences;
  wire.morphTargetDictionary = object.morphTargetDictionary;
  wire.raycast = () => {};
  wire.name = 'wire';
  object.add(wire);
  return wire;
}
