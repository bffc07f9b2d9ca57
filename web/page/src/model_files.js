// The files of one model, read in workers, and the materials that they make.
import { CompressedTexture, DataTexture, LinearFilter } from 'three';
import { normalsOf } from '../../three/src/HsceneLoader.js';
import { buildMaterial, placeTexture, texturesOf } from '../../three/src/materials.js';
import { fileError } from '../../three/src/reader.js';
import { run } from './jobs.js';
import { ClusterFiles } from './model_clusters.js';

/** @typedef {import('./jobs.js').PageError} PageError */

/**
 * The materials of a .hmat, each with its textures.
 * @param {import('./app.js').Context} context
 * @param {any} support
 */
export async function loadMaterials(context, support) {
  const {
      file: { path, kind },
    } = context,
    files = new Files(context, support),
    cooked = kind === 'asset' ? await files.read('cookedMaterial', path) : null,
    rows = cooked ? [cooked.row] : await files.read('materials', path);
  return {
    rows,
    problems: files.problems,
    used: files.used,
    make: (/** @type {number} */ i) => (cooked ? files.cookedMaterial(path) : files.material(rows[i], undefined, path, `row ${i}`)),
  };
}

/** Files of one model, each read once. */
export class Files {
  /** Files that were read, and what was made of them. @type {Map<string, { path: string, promise: Promise<any> }>} */
  requested = new Map();

  /**
   * @param {import('./app.js').Context} context
   * @param {any} support
   * @param {{ files: Files, changed: string[] } | null} [before] files of the model before a build, which changed some of them: the others
   *   are not read again
   */
  constructor({ root, signal, links }, support, before = null) {
    this.root = root;
    this.signal = signal;
    this.links = links;
    this.support = support;
    if (before) {
      const changed = new Set(before.changed);
      for (const [key, kept] of before.files.requested) if (!changed.has(kept.path)) this.requested.set(key, kept);
    }
    this.used = new Set();
    this.clusterFiles = new ClusterFiles();
    /** @type {Map<string, Promise<any>>} */
    this.opened = new Map();
    /** @type {PageError[]} */
    this.problems = [];
  }

  /** Makes something of a file once. @param {string} key @param {string} path @param {() => Promise<any>} make @returns {Promise<any>} */
  once(key, path, make) {
    this.used.add(path);
    let kept = this.requested.get(key);
    if (!kept) {
      kept = { path, promise: make() };
      this.requested.set(key, kept);
      // What failed is tried again by the next build.
      kept.promise.catch(() => this.requested.delete(key));
    }
    return kept.promise;
  }

  /** @param {string} op @param {string} path @param {any} [more] @returns {Promise<any>} */
  read(op, path, more = {}) {
    return this.once(`${op} ${path} ${more.normals ?? ''}`, path, async () => {
      const bytes = await this.root.read(path, this.signal);
      return run(op, path, { bytes, ...more }, { transfer: [bytes.buffer], signal: this.signal });
    });
  }

  /** A mesh with clusters, which stays open until `close`. @param {string} path @returns {Promise<import('./model_clusters.js').ClusterMesh>} */
  clusters(path) {
    let promise = this.opened.get(path);
    if (!promise) {
      this.used.add(path);
      promise = this.root.read(path, this.signal).then((bytes) => this.clusterFiles.open(path, bytes));
      this.opened.set(path, promise);
    }
    return promise;
  }

  /** Remembers a problem, and goes on without the file. @param {Promise<any>} promise */
  optional(promise) {
    return promise.catch((error) => {
      if (this.signal.aborted) throw error;
      this.problems.push(error);
      return null;
    });
  }

  /** @param {bigint} hash @param {string} file @param {string} place */
  async pathOf(hash, file, place) {
    const entry = (await this.links.hashes()).get(hash);
    if (!entry)
      throw fileError(
        file,
        place,
        `no file of the folder has the hash 0x${hash.toString(16)}; build the folder again, or drop the whole folder`,
      );
    return entry.path;
  }

  /** @param {string} path @param {'' | 'packed' | 'xyz'} normals @returns {Promise<any>} */
  texture(path, normals) {
    return this.once(`three.js texture ${path} ${normals}`, path, () => this.newTexture(path, normals));
  }

  /** @param {string} path @param {'' | 'packed' | 'xyz'} normals */
  async newTexture(path, normals) {
    const { isCompressed, mipmaps, format, type, colorSpace, width, height, minFilter } = await this.read('texture', path, {
      normals,
      support: this.support,
    });
    const texture = isCompressed
      ? new CompressedTexture(mipmaps, width, height, format, type)
      : new DataTexture(mipmaps[0].data, width, height, format, type);
    texture.mipmaps = mipmaps;
    Object.assign(texture, {
      colorSpace,
      minFilter,
      magFilter: LinearFilter,
      generateMipmaps: false,
      flipY: false,
      needsUpdate: true,
      name: path,
    });
    return texture;
  }

  /** The path of a cooked asset, or null. @param {string} uuid @returns {string | null} */
  assetPath(uuid) {
    const paths = [this.root.assetOf(uuid)?.CookedPath ?? '', uuid, `Assets/${uuid}.bin`];
    return paths.find((path) => this.root.byPath.has(path)) ?? null;
  }

  /** The material of a cooked asset, with its textures. @param {string} path */
  async cookedMaterial(path) {
    const { row, parameters, textures: uses } = await this.read('cookedMaterial', path);
    /** @type {Map<string, any>} */
    const textures = new Map();
    /** @type {{ name: string, path: string }[]} */
    const named = [];
    const load = async (/** @type {any} */ { name, uuid, use }) => {
      const texture = this.assetPath(uuid);
      if (!texture) throw fileError(path, name, `the texture ${uuid} is not here; it is part of another registry or bundle`);
      named.push({ name, path: texture });
      textures.set(name, placeTexture(await this.texture(texture, normalsOf(name)), use));
    };
    await Promise.all(uses.map((/** @type {any} */ use) => this.optional(load(use))));
    return { material: buildMaterial(row, /** @type {any} */ ({ name: '', parameters }), textures), textures: named };
  }

  /** The material of a row, with its textures. @param {any} row @param {any} scene @param {string} file @param {string} place */
  async material(row, scene, file, place) {
    /** @type {Map<string, any>} */
    const textures = new Map();
    /** @type {{ name: string, path: string }[]} */
    const named = [];
    await Promise.all(
      texturesOf(row, scene).map(async (use) => {
        await this.optional(
          (async () => {
            const path = await this.pathOf(use.hash, file, `${place} ${use.name}`);
            named.push({ name: use.name, path });
            textures.set(use.name, placeTexture(await this.texture(path, normalsOf(use.name)), use));
          })(),
        );
      }),
    );
    return { material: buildMaterial(row, scene, textures), textures: named };
  }
}
