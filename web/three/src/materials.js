// Materials of three.js from rows of a .hmat and the values of a .hscene.
import {
  ClampToEdgeWrapping, Color, DoubleSide, LinearFilter, LinearMipmapLinearFilter, LinearMipmapNearestFilter, LineBasicMaterial,
  MeshBasicMaterial, MeshPhysicalMaterial, MeshStandardMaterial, MirroredRepeatWrapping, NearestFilter, NearestMipmapLinearFilter,
  NearestMipmapNearestFilter, PointsMaterial, RepeatWrapping,
} from 'three';

/**
 * @typedef {import('./hmat.js').MaterialRow} MaterialRow
 * @typedef {import('./hmat.js').Sampler} Sampler
 * @typedef {import('./hscene.js').SceneMaterial} SceneMaterial
 * @typedef {import('./hscene.js').SceneTexture} SceneTexture
 * @typedef {import('three').Texture} Texture
 */

const WRAPS = [RepeatWrapping, ClampToEdgeWrapping, MirroredRepeatWrapping];
const CORE = ['BaseColorTex', 'MetallicRoughnessTex', 'NormalTex', 'OcclusionTex', 'EmissiveTex'];

/** The properties of three.js that a texture fills. @type {Record<string, string[]>} */
const MAPS = {
  BaseColorTex: ['map'], MetallicRoughnessTex: ['roughnessMap', 'metalnessMap'], NormalTex: ['normalMap'], OcclusionTex: ['aoMap'],
  EmissiveTex: ['emissiveMap'], ClearcoatTex: ['clearcoatMap'], ClearcoatRoughnessTex: ['clearcoatRoughnessMap'],
  ClearcoatNormalTex: ['clearcoatNormalMap'], TransmissionTex: ['transmissionMap'], ThicknessTex: ['thicknessMap'],
  SpecularTex: ['specularIntensityMap'], SpecularColorTex: ['specularColorMap'], SheenColorTex: ['sheenColorMap'],
  SheenRoughnessTex: ['sheenRoughnessMap'], AnisotropyTex: ['anisotropyMap'], IridescenceTex: ['iridescenceMap'],
  IridescenceThicknessTex: ['iridescenceThicknessMap'],
};

/** The properties of three.js that a number fills. @type {Record<string, string>} */
const NUMBERS = {
  Clearcoat: 'clearcoat', ClearcoatRoughness: 'clearcoatRoughness', Transmission: 'transmission', Thickness: 'thickness', Ior: 'ior',
  AttenuationDistance: 'attenuationDistance', Specular: 'specularIntensity', SheenRoughness: 'sheenRoughness',
  AnisotropyStrength: 'anisotropy', AnisotropyRotation: 'anisotropyRotation', Iridescence: 'iridescence', IridescenceIor: 'iridescenceIOR',
  Dispersion: 'dispersion',
};

/** The properties of three.js that a color fills. @type {Record<string, string>} */
const COLORS = { AttenuationColor: 'attenuationColor', SpecularColor: 'specularColor', SheenColor: 'sheenColor' };

/**
 * The textures that a material uses, without those that have no file.
 * @param {MaterialRow} row
 * @param {SceneMaterial} [material] if the row belongs to a scene
 * @returns {SceneTexture[]}
 */
export function texturesOf(row, material) {
  const textures = (material?.textures ?? []).filter((texture) => texture.hash !== 0n);
  row.textures.forEach(({ hash, sampler }, i) => {
    if (hash !== 0n && !textures.some((texture) => texture.name === CORE[i]))
      textures.push({ name: CORE[i], set: 0, hash, sampler, offset: [0, 0], rotation: 0, scale: [1, 1] });
  });
  return textures;
}

/**
 * A texture as a material reads it: a copy that shares the texels.
 * @param {Texture} source
 * @param {SceneTexture} use
 * @returns {Texture}
 */
export function placeTexture(source, { set, sampler, offset, rotation, scale }) {
  const texture = source.clone();
  texture.channel = set;
  texture.offset.fromArray(offset);
  texture.rotation = rotation;
  texture.repeat.fromArray(scale);
  texture.wrapS = /** @type {any} */ (WRAPS[sampler.wrapU]);
  texture.wrapT = /** @type {any} */ (WRAPS[sampler.wrapV]);
  texture.magFilter = sampler.mag === 1 ? NearestFilter : LinearFilter;
  const levels = /** @type {any} */ (source).mipmaps?.length ?? 1, nearest = sampler.min === 1;
  if (levels < 2 || sampler.mip === 1) texture.minFilter = nearest ? NearestFilter : LinearFilter;
  else if (sampler.mip === 2) texture.minFilter = nearest ? NearestMipmapNearestFilter : LinearMipmapNearestFilter;
  else texture.minFilter = nearest ? NearestMipmapLinearFilter : LinearMipmapLinearFilter;
  texture.needsUpdate = true;
  return texture;
}

/**
 * Makes the material of a row.
 * @param {MaterialRow} row
 * @param {SceneMaterial | undefined} scene the values that the row cannot hold
 * @param {Map<string, Texture>} textures by the name of their use, as in the scene: `BaseColorTex`
 * @returns {MeshStandardMaterial | MeshPhysicalMaterial | MeshBasicMaterial}
 */
export function buildMaterial(row, scene, textures) {
  const parameters = scene?.parameters ?? new Map();
  const isPhysical = [...parameters.keys()].some((name) => name in NUMBERS || name in COLORS || name.startsWith('Iridescence'))
    || [...textures.keys()].some((name) => !CORE.includes(name) && name in MAPS);
  const material = /** @type {any} */ (row.unlit ? new MeshBasicMaterial() : isPhysical ? new MeshPhysicalMaterial() : new MeshStandardMaterial());
  material.name = scene?.name ?? '';
  material.color.setRGB(row.baseColor[0], row.baseColor[1], row.baseColor[2]);
  material.opacity = row.alphaMode === 'opaque' ? 1 : row.baseColor[3];
  if (row.alphaMode === 'blend') {
    material.transparent = true;
    material.depthWrite = false;
  } else if (row.alphaMode === 'mask') {
    material.alphaTest = row.alphaCutoff;
  }
  if (row.doubleSided) material.side = DoubleSide;
  for (const [name, texture] of textures)
    for (const property of MAPS[name] ?? []) if (property in material) material[property] = texture;
  if (row.unlit) return material;
  material.emissive.setRGB(row.emissive[0], row.emissive[1], row.emissive[2]);
  material.metalness = row.metallic;
  material.roughness = row.roughness;
  material.normalScale.set(row.normalScale, row.normalScale);
  material.aoMapIntensity = row.occlusion;
  if (!isPhysical) return material;
  for (const [name, values] of parameters) {
    if (name in NUMBERS) material[NUMBERS[name]] = values[0];
    else if (name in COLORS) material[COLORS[name]] = new Color().setRGB(values[0], values[1] ?? 0, values[2] ?? 0);
  }
  if (parameters.has('SheenColor') || parameters.has('SheenRoughness')) material.sheen = 1;
  const scale = parameters.get('ClearcoatNormalScale')?.[0] ?? 1;
  material.clearcoatNormalScale.set(scale, scale);
  const thinnest = parameters.get('IridescenceThicknessMinimum')?.[0] ?? 100, thickest = parameters.get('IridescenceThicknessMaximum')?.[0] ?? 400;
  if ('iridescenceThicknessMinimum' in material) [material.iridescenceThicknessMinimum, material.iridescenceThicknessMaximum] = [thinnest, thickest];
  else material.iridescenceThicknessRange = [thinnest, thickest];
  return material;
}

/**
 * The material as a geometry draws it. three.js computes tangents of geometries without any, with y the other way.
 * @param {any} material
 * @param {import('three').BufferGeometry} geometry
 * @param {Map<string, any>} copies copies that were made before
 */
export function materialFor(material, geometry, copies) {
  const colors = geometry.hasAttribute('color'), flips = !geometry.hasAttribute('tangent') && Boolean(material.normalMap || material.clearcoatNormalMap);
  if (!colors && !flips) return material;
  const key = `${material.uuid} ${colors} ${flips}`;
  let copy = copies.get(key);
  if (!copy) {
    copy = material.clone();
    copy.vertexColors = colors;
    if (flips) {
      copy.normalScale.y *= -1;
      if (copy.clearcoatNormalScale) copy.clearcoatNormalScale.y *= -1;
    }
    copies.set(key, copy);
  }
  return copy;
}

/**
 * The material of points or lines, which three.js draws without lighting.
 * @param {any} material
 * @param {'points' | 'lines'} topology
 * @param {boolean} colors whether vertices have colors
 * @param {Map<string, any>} copies copies that were made before
 */
export function primitiveMaterial(material, topology, colors, copies) {
  const key = `${material.uuid} ${topology} ${colors}`, before = copies.get(key);
  if (before) return before;
  const made = topology === 'points' ? new PointsMaterial({ sizeAttenuation: false, size: 1 }) : new LineBasicMaterial();
  made.name = material.name;
  made.color.copy(material.color);
  made.map = material.map;
  made.opacity = material.opacity;
  made.transparent = material.transparent;
  made.depthWrite = material.depthWrite;
  made.alphaTest = material.alphaTest;
  made.side = material.side;
  made.vertexColors = colors;
  copies.set(key, made);
  return made;
}
