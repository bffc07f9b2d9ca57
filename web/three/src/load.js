// What the loaders share: how a file is requested through three.js.
import { FileLoader, Loader } from 'three';

/** A loader whose `loadAsync` is `readUrl`. @template T @extends {Loader<T, string>} */
export class AsyncLoader extends Loader {
  /**
   * Starts loading.
   * @param {string} url relative to the path of `setPath`
   * @param {(data: T) => void} onLoad
   * @param {(event: ProgressEvent) => void} [onProgress]
   * @param {(error: unknown) => void} [onError]
   */
  load(url, onLoad, onProgress, onError) {
    this.readUrl(url, onProgress).then(onLoad).catch((error) => {
      if (onError) onError(error);
      else console.error(error);
      this.manager.itemError(url);
    });
  }

  /**
   * @param {string} url
   * @param {(event: ProgressEvent) => void} [_onProgress]
   * @returns {Promise<T>}
   */
  readUrl(url, _onProgress) {
    return Promise.reject(new Error(`${url}: the loader does not read files`));
  }

  /**
   * The bytes of a file.
   * @param {string} url relative to the path of `setPath`
   * @param {(event: ProgressEvent) => void} [onProgress]
   * @returns {Promise<Uint8Array>}
   */
  async requestBytes(url, onProgress) {
    const loader = new FileLoader(this.manager);
    loader.setPath(this.path);
    loader.setResponseType('arraybuffer');
    loader.setRequestHeader(this.requestHeader);
    loader.setWithCredentials(this.withCredentials);
    return new Uint8Array(/** @type {ArrayBuffer} */ (await loader.loadAsync(url, onProgress)));
  }
}

/** A loader that reads meshes. @template T @extends {AsyncLoader<T>} */
export class MeshLoader extends AsyncLoader {
  /** @param {import('three').LoadingManager} [manager] */
  constructor(manager) {
    super(manager);
    /** @type {import('./encoded.js').Decoders} */
    this.decoders = {};
  }

  /**
   * Sets the decoder of meshes that were built with `mesh.compress`.
   * @param {import('./encoded.js').MeshoptDecoder} decoder
   * @returns {this}
   */
  setMeshoptDecoder(decoder) {
    this.decoders = { ...this.decoders, meshopt: decoder };
    return this;
  }

  /**
   * Sets the decoder of meshes that were built with `mesh.compress: meshopt-zstd`.
   * @param {import('./encoded.js').ZstdDecoder} decoder
   * @returns {this}
   */
  setZstdDecoder(decoder) {
    this.decoders = { ...this.decoders, zstd: decoder };
    return this;
  }

  /** Waits until the decoders can decode. */
  async readyDecoders() {
    const { meshopt, zstd } = this.decoders;
    await Promise.all([meshopt?.ready, zstd?.init?.()]);
  }
}
