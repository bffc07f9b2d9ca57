// The texels of a source picture, exactly as its file stores them.
import { folderOf } from './format.js';
import { PageError } from './jobs.js';

const READABLE = /\.(png|jpe?g|webp|gif|bmp|avif)$/i;
const MAX_TEXELS = 1 << 26;

/**
 * The picture of a source. A picture that a model refers to has a source such as `chair.gltf image 2 (wood.png)`.
 * @param {string | undefined} source
 * @returns {string} '': none that browsers read
 */
export function pictureOf(source = '') {
  const [, model, name] = / image \d+ \(/.test(source) ? (/^(.*) image \d+ \((.*)\)$/.exec(source) ?? []) : [];
  const path = name === undefined ? source : (folderOf(model) ? `${folderOf(model)}/` : '') + name;
  return READABLE.test(path) ? path : '';
}

/**
 * @param {Blob} blob
 * @param {string} name for errors
 * @param {{ width: number, height: number } | null} extent scales the picture to this size; null: does not scale
 * @returns {Promise<{ width: number, height: number, data: Uint8Array, half: boolean, srgb: boolean, scaled: boolean }>}
 */
export async function readPicture(blob, name, extent) {
  let bitmap;
  try {
    bitmap = await createImageBitmap(blob, { premultiplyAlpha: 'none', colorSpaceConversion: 'none' });
    if (bitmap.width * bitmap.height > MAX_TEXELS)
      throw new Error(`it has ${bitmap.width} x ${bitmap.height} texels, expected at most ${MAX_TEXELS}`);
    const scaled = extent !== null && (extent.width !== bitmap.width || extent.height !== bitmap.height);
    if (scaled) {
      const smaller = await createImageBitmap(bitmap, {
        resizeWidth: extent.width,
        resizeHeight: extent.height,
        resizeQuality: 'high',
        premultiplyAlpha: 'none',
      });
      bitmap.close();
      bitmap = smaller;
    }
    return { ...texelsOf(bitmap), half: false, srgb: true, scaled };
  } catch (error) {
    throw new PageError({
      place: name,
      what: `the browser cannot read the picture: ${error instanceof Error ? error.message : error}`,
      hint: 'look at the picture in another program',
    });
  } finally {
    bitmap?.close();
  }
}

/** A 2D canvas would multiply by alpha, and lose what is transparent. @param {ImageBitmap} bitmap */
function texelsOf(bitmap) {
  const canvas = new OffscreenCanvas(1, 1),
    gl = /** @type {WebGL2RenderingContext} */ (canvas.getContext('webgl2'));
  const { width, height } = bitmap,
    texture = gl.createTexture(),
    data = new Uint8Array(4 * width * height);
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
  gl.pixelStorei(gl.UNPACK_COLORSPACE_CONVERSION_WEBGL, gl.NONE);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
  gl.bindFramebuffer(gl.FRAMEBUFFER, gl.createFramebuffer());
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, data);
  const failed = gl.getError() !== gl.NO_ERROR;
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  if (failed) throw new Error(`it has ${width} x ${height} texels, which is too large for WebGL`);
  return { width, height, data };
}
