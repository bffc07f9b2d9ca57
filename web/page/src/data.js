// The data of the page: roots, which are an output, a cooked folder, a pack, a bundle or dropped files.
import { kindOfPath } from './format.js';
import { PageError } from './jobs.js';

/**
 * A line of `assetc info --json`, with `source` and `recipe` where known.
 * @typedef {{ path: string, kind: string, bytes: number, problem?: string, source?: string, recipe?: string, [member: string]: any }} FileFact
 * @typedef {{ event: string, severity: string, file: string, place: string, what: string, hint: string, kind: string, code: string, accepted?: string,
 *   [member: string]: any }} Diagnostic
 * @typedef {{ id: string, label: string, type: string, path: string }} RootInfo
 * @typedef {{ assetc: string, title: string, live: boolean, roots: RootInfo[], compare: string | null }} SiteInfo
 */

/** The route of the page is in the hash, after the token: `#TOKEN/assets/0/textures/wall.ktx2`. */
const slash = location.hash.indexOf('/');
export const token = location.hash.slice(1, slash === -1 ? undefined : slash) || sessionStorage.getItem('assetc-token') || '';
if (token) sessionStorage.setItem('assetc-token', token);
export const headers = /** @type {Record<string, string>} */ (token ? { authorization: `Bearer ${token}` } : {});

/** @param {string} path */
const encode = (path) => path.split('/').map(encodeURIComponent).join('/');

/**
 * Requests a URL of data/.
 * @param {string} url below data/
 * @param {{ signal?: AbortSignal, optional?: boolean, headers?: Record<string, string> }} [options] optional: 404 gives null
 * @returns {Promise<Response | null>}
 */
export async function request(url, { signal, optional = false, headers: more } = {}) {
  let response;
  try {
    response = await fetch(`data/${url}`, { headers: { ...headers, ...more }, signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new PageError({
      code: 'io',
      place: url,
      what: 'the server does not answer',
      hint: 'start assetc view again, and open the address that it prints',
    });
  }
  if (response.ok) return response;
  if (response.status === 404 && optional) return null;
  if (response.status === 401)
    throw new PageError({
      code: 'usage',
      what: 'the address has no valid token',
      hint: 'open the address that assetc printed, with everything after #',
    });
  throw new PageError({
    code: 'io',
    place: url,
    what: response.status === 404 ? 'the file does not exist' : `the server answered with status ${response.status}`,
    hint: response.status === 404 ? 'build again, or reload this page' : '',
  });
}

/** @param {string} text @returns {any[]} */
export function parseLines(text) {
  const out = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    try {
      out.push(JSON.parse(line));
    } catch {
      out.push({
        event: 'diagnostic',
        severity: 'error',
        code: 'invalid_data',
        file: '',
        place: '',
        what: `a line of the data is no JSON: ${line.slice(0, 80)}`,
        hint: '',
        kind: '',
      });
    }
  }
  return out;
}

/** Files of one folder, pack or bundle. */
export class Root {
  /** @param {RootInfo} info */
  constructor(info) {
    this.info = info;
    /** @type {FileFact[]} */
    this.files = [];
    /** @type {Map<string, FileFact>} */
    this.byPath = new Map();
    /** @type {any[]} the lines of the last build */
    this.build = [];
    /** @type {Diagnostic[]} */
    this.diagnostics = [];
    /** @type {any[]} */
    this.budgets = [];
    /** @type {any} */
    this.totals = null;
    /** @type {any} the registry of a cooked folder */
    this.registry = null;
    /** @type {Map<string, any>} errors of the watch by output or source */
    this.errors = new Map();
  }

  get id() {
    return this.info.id;
  }

  /** @param {any[]} lines */
  setFiles(lines) {
    this.files = lines
      .filter((line) => line.event === 'file' || (line.event === 'entry' && line.path) || (line.event === 'asset' && line.path))
      .map((line) => ({
        bytes: 0,
        ...line,
        kind: line.kind && !(line.kind === 'other' && line.problem) ? line.kind : kindOfPath(line.path),
      }));
    this.files.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
    this.byPath = new Map(this.files.map((file) => [file.path, file]));
    this.totals = lines.find((line) => line.event === 'totals') ?? null;
    /** @type {Map<string, Diagnostic[]> | null} */
    this.bySource = null;
    /** @type {Map<string, any> | null} the names of assets of a cooked folder */
    this.names = null;
  }

  /** @param {any[]} build lines of the last build @param {any[]} state lines of the current state */
  setBuild(build, state) {
    this.build = build;
    const lines = [...state, ...build].filter((line) => line.event === 'diagnostic');
    this.diagnostics = [...new Map(lines.map((line) => [`${line.severity} ${line.file} ${line.place} ${line.what}`, line])).values()];
    this.budgets = state.filter((line) => line.event === 'budget');
    this.bySource = null;
  }

  async load() {
    const text = async (/** @type {string} */ name) => (await (await request(`${this.id}/${name}`, { optional: true }))?.text()) ?? '';
    const [files, build, diagnostics, registry] = await Promise.all([
      text('files.jsonl'),
      text('build.jsonl'),
      text('diagnostics.jsonl'),
      this.info.type === 'cooked' ? text('registry.json') : '',
    ]);
    this.setFiles(parseLines(files));
    this.setBuild(parseLines(build), parseLines(diagnostics));
    if (registry) {
      try {
        this.registry = JSON.parse(registry);
      } catch (error) {
        this.diagnostics.push({
          event: 'diagnostic',
          severity: 'error',
          code: 'invalid_data',
          file: 'Registry/AssetRegistry.json',
          place: '',
          what: String(error),
          hint: 'cook again',
          kind: '',
        });
      }
    }
  }

  /** The asset of a cooked file. @param {string} path @returns {any} */
  assetOf(path) {
    if (!this.registry) return null;
    if (!this.names) {
      this.names = new Map();
      for (const asset of this.registry.Assets ?? []) {
        if (!this.names.has(asset.CookedPath)) this.names.set(asset.CookedPath, asset);
        this.names.set(asset.Uuid, asset);
      }
    }
    return this.names.get(path) ?? null;
  }

  /** The name that people know a file by: the virtual path of a cooked asset, or its path. @param {FileFact} file @returns {string} */
  nameOf(file) {
    return this.assetOf(file.path)?.VirtualPath ?? file.path;
  }

  /** Warnings and errors about a file. @param {FileFact} file @returns {Diagnostic[]} */
  problemsOf(file) {
    if (!this.bySource) {
      this.bySource = new Map();
      for (const one of this.diagnostics) {
        const key = one.file.split(' ')[0];
        for (const name of new Set([one.file, key])) this.bySource.set(name, [...(this.bySource.get(name) ?? []), one]);
      }
    }
    const live = [...(this.errors.get(file.path) ?? []), ...(file.source ? (this.errors.get(file.source) ?? []) : [])];
    const own = file.problem
      ? [
          {
            event: 'diagnostic',
            severity: 'error',
            code: 'invalid_data',
            file: file.path,
            place: '',
            what: file.problem,
            hint: 'build again; if it stays, please report it',
            kind: '',
          },
        ]
      : [];
    return [
      ...own,
      ...live,
      ...(this.bySource.get(file.path) ?? []),
      ...(file.source && file.source !== file.path ? (this.bySource.get(file.source) ?? []) : []),
    ];
  }

  /** The bytes of a file. @param {string} path @param {AbortSignal} [signal] @returns {Promise<Uint8Array<ArrayBuffer>>} */
  async read(path, signal) {
    const response = await request(`${this.id}/files/${encode(path)}`, { signal });
    return new Uint8Array(await /** @type {Response} */ (response).arrayBuffer());
  }

  /**
   * The first bytes of a file; all of them if the server has no ranges.
   * @param {string} path
   * @param {number} size
   * @param {AbortSignal} [signal]
   * @returns {Promise<Uint8Array<ArrayBuffer>>}
   */
  async readHead(path, size, signal) {
    const response = await request(`${this.id}/files/${encode(path)}`, { signal, headers: { range: `bytes=0-${size - 1}` } });
    return new Uint8Array(await /** @type {Response} */ (response).arrayBuffer());
  }

  /**
   * A picture's bytes, or null if they are not available.
   * @param {string} path below the input folder
   * @param {AbortSignal} [signal]
   * @returns {Promise<Blob | null>}
   */
  async readSource(path, signal) {
    const response = await request(`${this.id}/sources/${encode(path)}`, { signal, optional: true });
    return response ? response.blob() : null;
  }
}

/** Files that were dropped on the page. */
export class DroppedRoot extends Root {
  /** @param {string} label @param {Map<string, File>} contents */
  constructor(label, contents) {
    super({ id: 'dropped', label, type: 'files', path: label });
    this.contents = contents;
  }

  async load() {}

  /** @param {string} path */
  async read(path) {
    const file = this.contents.get(path);
    if (!file) throw new PageError({ code: 'not_found', place: path, what: 'the file was not dropped', hint: 'drop the whole folder' });
    return new Uint8Array(await file.arrayBuffer());
  }

  /** @param {string} path @param {number} size */
  async readHead(path, size) {
    return new Uint8Array(await /** @type {File} */ (this.contents.get(path)).slice(0, size).arrayBuffer());
  }

  /** @param {string} path */
  async readSource(path) {
    return this.contents.get(path) ?? null;
  }
}

/** @returns {Promise<SiteInfo | null>} null: the page has no data, as when it is opened to drop files on */
export async function loadSite() {
  const response = await request('site.json', { optional: true });
  return response ? response.json() : null;
}
