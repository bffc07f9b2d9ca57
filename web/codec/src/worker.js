// A worker of encoder.js, in browsers and in Node.js: one module, then pictures, one answer for each.
import { AssetcError } from './error.js';
import { PictureEncoder } from './encode.js';
import { message } from './module.js';

/** @type {PictureEncoder | undefined} */
let encoder;

/**
 * @param {any} request
 * @param {(answer: any, transfer: Transferable[]) => void} send
 */
function answer(request, send) {
  if (request.module) {
    encoder = new PictureEncoder(request.module);
    return;
  }
  try {
    const file = /** @type {PictureEncoder} */ (encoder).encode(request.picture, request.numbers);
    send({ file }, [file.buffer]);
  } catch (error) {
    const { code, place, hint } = error instanceof AssetcError ? error : { code: 'trap', place: undefined, hint: undefined };
    send({ error: { what: error instanceof AssetcError ? error.what : message(error), code, place, hint } }, []);
  }
}

if ('WorkerGlobalScope' in globalThis) {
  globalThis.onmessage = (event) => answer(event.data, (value, transfer) => globalThis.postMessage(value, { transfer }));
} else {
  const node = 'node:worker_threads';
  const { parentPort } = await import(/* @vite-ignore */ node);
  parentPort.on('message', (/** @type {any} */ data) =>
    answer(data, (value, transfer) => parentPort.postMessage(value, transfer)));
}
