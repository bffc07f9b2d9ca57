// Which assets a file uses, and which use it. Output folders refer by hash; cooked folders by UUID, which the registry lists.
import { refHash } from '../../three/src/reader.js';
import { folderOf } from './format.js';
import { run } from './jobs.js';

/** @typedef {{ path: string, note?: string, missing?: boolean }} Link */

const SLOTS = ['base color', 'metallic-roughness', 'normal', 'occlusion', 'emissive'];
/** Above this many files that may use others, users are not searched. */
const MAX_SEARCHED = 2000;
/** Files that are read at once, so that an asset that is opened need not wait. */
const AT_ONCE = 3;

export class Links {
  /** @param {import('./data.js').Root} root */
  constructor(root) {
    this.root = root;
    /** @type {Map<string, Promise<Link[]>>} */
    this.known = new Map();
    /** @type {Promise<Map<bigint, { path: string }>> | null} */
    this.manifest = null;
  }

  /** The files by hash: those of assets.hman; without it, the textures. */
  hashes() {
    this.manifest ??= (async () => {
      /** @type {Map<bigint, { path: string }>} */
      const files = new Map();
      for (const file of this.root.files) if (file.path.endsWith('.ktx2')) files.set(refHash(file.path.slice(0, -5)), { path: file.path });
      const manifest = this.root.files.find((file) => file.path === 'assets.hman' || file.path.endsWith('/assets.hman'));
      if (!manifest) return files;
      const prefix = manifest.path.slice(0, -'assets.hman'.length),
        bytes = await this.root.read(manifest.path);
      const found = await run('manifest', manifest.path, { bytes });
      for (const [hash, { path }] of found) files.set(hash, { path: prefix + path });
      return files;
    })();
    return this.manifest;
  }

  /** The .hmat whose rows are the material slots of a mesh. @param {string} path @returns {string | null} */
  materialsOf(path) {
    const { byPath } = this.root,
      stem = path.replace(/\.[^./]+$/, ''),
      folder = folderOf(stem);
    if (byPath.has(`${stem}.hmat`)) return `${stem}.hmat`;
    // A mesh of a scene: yard.hscene, yard/mesh_0.hmesh, and yard/materials.hmat or yard.hmat.
    if (!/\/mesh_\d+$/.test(stem) || !byPath.has(`${folder}.hscene`)) return null;
    return [`${folder}/materials.hmat`, `${folder}.hmat`].find((table) => byPath.has(table)) ?? null;
  }

  /** @param {string} path @returns {Promise<Link[]>} */
  uses(path) {
    let links = this.known.get(path);
    if (!links) this.known.set(path, (links = this.read(path)));
    return links;
  }

  /** Forgets a file that was written again. @param {string} path */
  forget(path) {
    this.known.delete(path);
    if (path.endsWith('assets.hman')) this.manifest = null;
  }

  /** @param {string} path @returns {Promise<Link[]>} */
  async read(path) {
    const asset = this.root.assetOf(path);
    if (asset) {
      const of = (/** @type {string[]} */ list, /** @type {string} */ note) =>
        (list ?? []).map((uuid) => ({ path: this.root.assetOf(uuid)?.CookedPath ?? uuid, note, missing: !this.root.assetOf(uuid) }));
      return [
        ...of(asset.Dependencies, ''),
        ...of(asset.SoftDependencies, 'may load later'),
        ...of(asset.OuterDependencies, 'of another registry'),
      ];
    }
    /** @type {Map<string, Set<string>>} */
    const found = new Map();
    const files = await this.hashes();
    const add = (/** @type {bigint} */ hash, /** @type {string} */ note) => {
      if (hash === 0n) return;
      const to = files.get(hash)?.path ?? `0x${hash.toString(16)}`;
      found.set(to, (found.get(to) ?? new Set()).add(note));
    };
    if (path.endsWith('.hmat')) {
      const rows = await run('materials', path, { bytes: await this.root.read(path) }, { urgent: false });
      for (const row of rows) row.textures.forEach((/** @type {any} */ texture, /** @type {number} */ i) => add(texture.hash, SLOTS[i]));
    } else if (path.endsWith('.hscene')) {
      const scene = await run('scene', path, { bytes: await this.root.read(path) }, { urgent: false });
      for (const mesh of scene.meshes) add(mesh.hash, 'mesh');
      for (const material of scene.materials) {
        add(material.hash, 'material');
        for (const texture of material.textures) add(texture.hash, texture.name.replace(/Tex$/, ''));
      }
      for (const clip of scene.clips) add(clip.hash, 'clip');
    } else if (path.endsWith('.hfont')) {
      const { texture } = await run('font', path, { bytes: await this.root.read(path) }, { urgent: false });
      add(texture, 'atlas');
    } else if (path.endsWith('.hmesh') || path.endsWith('.hcluster')) {
      const materials = this.materialsOf(path),
        clips = path.replace(/\.[^.]+$/, '.hanim');
      if (materials) found.set(materials, new Set(['materials']));
      if (this.root.byPath.has(clips)) found.set(clips, new Set(['clips']));
    }
    return [...found].map(([to, notes]) => ({ path: to, note: [...notes].join(', '), missing: !this.root.byPath.has(to) }));
  }

  /** @param {string} path @param {AbortSignal} signal @returns {Promise<Link[]>} */
  async users(path, signal) {
    const asset = this.root.assetOf(path);
    if (asset) {
      return this.root.registry.Assets.filter((/** @type {any} */ other) =>
        [...(other.Dependencies ?? []), ...(other.SoftDependencies ?? [])].includes(asset.Uuid),
      ).map((/** @type {any} */ other) => ({ path: other.CookedPath, note: other.Type }));
    }
    const able = this.root.files.filter((file) => /\.(hmat|hscene|hmesh|hcluster|hfont)$/.test(file.path) && !file.problem);
    if (able.length > MAX_SEARCHED) return [];
    /** @type {Link[]} */
    const found = [],
      queue = [...able];
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let file = queue.shift(); file && !signal.aborted; file = queue.shift())
          for (const link of await this.uses(file.path).catch(() => []))
            if (link.path === path) found.push({ path: file.path, note: link.note });
      }),
    );
    return found.sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}
