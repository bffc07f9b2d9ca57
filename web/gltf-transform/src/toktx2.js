// A transform of glTF-Transform that encodes textures as UASTC in KTX 2.
import { AssetcError, loadEncoder } from '@assetc/codec';
import { FileUtils, Material } from '@gltf-transform/core';
import { KHRTextureBasisu } from '@gltf-transform/extensions';
import { createTransform, getTextureColorSpace, listTextureInfo, listTextureSlots } from '@gltf-transform/functions';
import { decodePicture } from './decode.js';
import { fittedSize, resizePicture } from './resize.js';

const NAME = 'toktx2';
const KTX2 = 'image/ktx2';
const CLAMP = 33071;
const NORMALS = /^(clearcoatNormalTexture|normalTexture)$/i;
/** The extensions whose pictures disappear when they are encoded. @type {Record<string, string>} */
const PICTURES = { EXT_texture_webp: 'image/webp', EXT_texture_avif: 'image/avif' };

/**
 * @typedef {import('@gltf-transform/core').Texture} Texture
 * @typedef {import('@assetc/codec').EncodeSettings} EncodeSettings
 * @typedef {import('@assetc/codec').Encoder} Encoder
 * @typedef {import('@assetc/codec').Picture} Picture
 *
 * @typedef {object} Toktx2Options
 * @property {RegExp | null} [slots] encodes only textures that a slot with a matching name uses, as `/^baseColorTexture$/`
 * @property {RegExp | null} [pattern] encodes only textures whose name or URI matches
 * @property {EncodeSettings['quality']} [quality] `fast`, `normal` (default) or `best`
 * @property {number} [rdo] 0 (off, the default) to 100: less quality for a smaller file. 5 is light, 20 medium, 100 heavy
 * @property {number | false} [zstd] the level of Zstd, 1 to 22 (default: 10), or false for none
 * @property {boolean} [mips] all mip levels. Default: true
 * @property {number} [maxSize] the largest width and height in texels; larger pictures are scaled down, with their aspect
 * @property {Encoder} [encoder] that is used and stays open. Default: one that this transform loads and closes
 * @property {number} [workers] the most workers of an encoder that this transform loads
 * @property {(bytes: Uint8Array, mimeType: string) => Promise<Picture>} [decode] reads PNG, JPEG, WebP and AVIF. Default: sharp in
 *   Node.js, the browser elsewhere
 */

/**
 * Encodes the textures of a document as UASTC in KTX 2, and requires KHR_texture_basisu. No program besides Node.js or a
 * browser is needed.
 *
 * - The slots of a texture decide how it is encoded: color as sRGB, normal maps as vectors, everything else as linear data.
 * - Names, extras and the materials' references stay. A URI gets the extension `.ktx2`.
 * - Sides become multiples of four texels, as KHR_texture_basisu requires.
 * - Textures that are KTX 2 already, that no material uses, or that have no picture, stay as they are.
 *
 * The transform rejects with an AssetcError that names the texture if a picture cannot be decoded or encoded. Then the textures
 * of the document are unchanged.
 * @param {Toktx2Options} [options]
 * @returns {import('@gltf-transform/core').Transform}
 */
export function toktx2(options = {}) {
  const { slots = null, pattern = null, quality = 'normal', rdo = 0, zstd = 10, mips = true, maxSize = 32768, workers, decode = decodePicture } = options;
  if (!Number.isInteger(maxSize) || maxSize < 4) throw new AssetcError(`maxSize is ${maxSize}, expected a whole number of texels from 4`);

  return createTransform(NAME, async (document) => {
    const logger = document.getLogger(), root = document.getRoot(), textures = root.listTextures();
    const chosen = textures.map((texture, i) => ({ texture, name: nameOf(texture, i) })).filter(({ texture, name }) => {
      const image = texture.getImage(), used = listTextureSlots(texture);
      const why = texture.getMimeType() === KTX2 ? 'it is KTX 2' : !image ? 'it has no picture' : used.length === 0 ? 'no material uses it'
        : slots && !used.some((slot) => matches(slots, slot)) ? 'its slots are not selected'
          : pattern && !matches(pattern, texture.getName()) && !matches(pattern, texture.getURI()) ? 'its name is not selected' : '';
      if (why) logger.debug(`${NAME}: ${name} stays: ${why}`);
      return why === '';
    });
    if (chosen.length === 0) {
      logger.info(`${NAME}: no texture to encode`);
      return;
    }
    const encoder = options.encoder ?? await loadEncoder(workers === undefined ? {} : { workers });
    /** @type {Map<Texture, Uint8Array>} */
    const encoded = new Map();
    try {
      // A few pictures at a time, so that not all of them are decoded at once.
      const waiting = [...chosen];
      const work = async () => {
        for (let next = waiting.shift(); next; next = waiting.shift()) {
          const { texture, name } = next;
          try {
            encoded.set(texture, await encodeTexture(texture));
          } catch (error) {
            waiting.length = 0;
            throw named(error, name);
          }
        }
      };
      const done = await Promise.allSettled(Array.from({ length: Math.max(1, encoder.workers) }, work));
      const failed = done.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
    } finally {
      if (!options.encoder) encoder.close();
    }

    /** @param {Texture} texture */
    async function encodeTexture(texture) {
      const settings = settingsOf(texture);
      let picture = await decode(/** @type {Uint8Array} */ (texture.getImage()), texture.getMimeType());
      const [width, height] = fittedSize(picture.width, picture.height, maxSize);
      if (width !== picture.width || height !== picture.height) picture = resizePicture(picture, width, height, settings.color);
      return encoder.encode(picture, { format: 'uastc', quality, rdo, zstd, mips, ...settings });
    }

    for (const { texture, name } of chosen) {
      const bytes = /** @type {Uint8Array<ArrayBuffer>} */ (encoded.get(texture)), before = texture.getImage()?.byteLength ?? 0;
      const uri = texture.getURI();
      texture.setImage(bytes).setMimeType(KTX2);
      if (uri) texture.setURI(`${uri.slice(0, uri.length - FileUtils.extension(uri).length - 1)}.ktx2`);
      logger.debug(`${NAME}: ${name}: ${before} bytes became ${bytes.byteLength}`);
    }
    document.createExtension(KHRTextureBasisu).setRequired(true);
    for (const extension of root.listExtensionsUsed()) {
      const mimeType = PICTURES[extension.extensionName];
      if (mimeType && !textures.some((texture) => texture.getMimeType() === mimeType)) extension.dispose();
    }
    logger.info(`${NAME}: ${chosen.length} of ${textures.length} ${textures.length === 1 ? 'texture' : 'textures'} encoded`);
  });
}

/** A pattern may keep the place of its last match. @param {RegExp} pattern @param {string} text */
function matches(pattern, text) {
  pattern.lastIndex = 0;
  return pattern.test(text);
}

/** @param {Texture} texture @param {number} i @returns {string} how messages call it */
function nameOf(texture, i) {
  const name = texture.getName() || texture.getURI();
  return name ? `texture ${i} (${JSON.stringify(name)})` : `texture ${i}`;
}

/** @param {unknown} error @param {string} name */
function named(error, name) {
  const what = error instanceof AssetcError ? error.what : error instanceof Error ? error.message : String(error);
  const more = error instanceof AssetcError ? { code: error.code, hint: error.hint } : { code: 'invalid_data' };
  return new AssetcError(what, { ...more, place: name, cause: error });
}

/**
 * The settings that follow from how materials use a texture.
 * @param {Texture} texture
 * @returns {Pick<EncodeSettings, 'color' | 'channels' | 'wrap' | 'alphaCutoff'>}
 */
function settingsOf(texture) {
  const slots = listTextureSlots(texture), infos = listTextureInfo(texture);
  const color = getTextureColorSpace(texture) === 'srgb' ? 'srgb' : slots.every((slot) => NORMALS.test(slot)) ? 'normal' : 'linear';
  const wrap = infos.length > 0 && infos.every((info) => info.getWrapS() === CLAMP && info.getWrapT() === CLAMP) ? 'clamp' : 'repeat';
  const cutoffs = texture.listParents().flatMap((parent) => parent instanceof Material && parent.getBaseColorTexture() === texture
    && parent.getAlphaMode() === 'MASK' ? [parent.getAlphaCutoff()] : []);
  const alphaCutoff = color === 'srgb' && cutoffs.length > 0 ? Math.min(1, Math.max(0, cutoffs[0])) : 0;
  // Readers of glTF expect all three components of a normal.
  return { color, channels: color === 'normal' ? 'rgb' : 'auto', wrap, alphaCutoff };
}
