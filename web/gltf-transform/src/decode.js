// Reads pictures: with sharp in Node.js, with the browser's decoder elsewhere.
import { AssetcError } from '@assetc/codec';

/** @typedef {import('@assetc/codec').Picture} Picture */

/**
 * The texels of a picture, as they are stored: color profiles are ignored, as glTF requires.
 * @param {Uint8Array} bytes
 * @param {string} mimeType
 * @returns {Promise<Picture>}
 */
export async function decodePicture(bytes, mimeType) {
  return typeof createImageBitmap === 'function' ? decodeInBrowser(bytes, mimeType) : decodeWithSharp(bytes);
}

/** @param {Uint8Array} bytes @returns {Promise<Picture>} */
async function decodeWithSharp(bytes) {
  let sharp;
  try {
    sharp = (await import('sharp')).default;
  } catch (cause) {
    throw new AssetcError('sharp, which reads pictures in Node.js, cannot be loaded', { hint: 'run npm install sharp, or give the option decode', cause });
  }
  const { data, info } = await sharp(bytes, { ignoreIcc: true }).toColourspace('srgb').ensureAlpha().raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
}

/** @param {Uint8Array} bytes @param {string} mimeType @returns {Promise<Picture>} */
async function decodeInBrowser(bytes, mimeType) {
  const blob = new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (bytes)], { type: mimeType });
  const bitmap = await createImageBitmap(blob, { premultiplyAlpha: 'none', colorSpaceConversion: 'none' });
  const { width, height } = bitmap;
  try {
    // A two-dimensional canvas would multiply color with alpha; a texture keeps both.
    const gl = new OffscreenCanvas(1, 1).getContext('webgl2');
    if (!gl) return throughCanvas(bitmap);
    if (width > gl.getParameter(gl.MAX_TEXTURE_SIZE) || height > gl.getParameter(gl.MAX_TEXTURE_SIZE)) return throughCanvas(bitmap);
    const texture = gl.createTexture(), framebuffer = gl.createFramebuffer();
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
    gl.pixelStorei(gl.UNPACK_COLORSPACE_CONVERSION_WEBGL, gl.NONE);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
    gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    const data = new Uint8Array(width * height * 4);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, data);
    const error = gl.getError();
    gl.getExtension('WEBGL_lose_context')?.loseContext();
    return error === gl.NO_ERROR ? { width, height, data } : throughCanvas(bitmap);
  } finally {
    bitmap.close();
  }
}

/** @param {ImageBitmap} bitmap @returns {Picture} */
function throughCanvas(bitmap) {
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
  if (!context) throw new AssetcError('this browser gives no canvas to read pictures', { hint: 'give the option decode' });
  context.drawImage(bitmap, 0, 0);
  return { width: bitmap.width, height: bitmap.height, data: context.getImageData(0, 0, bitmap.width, bitmap.height).data };
}
