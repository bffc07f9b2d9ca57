// What a live build changes: facts, thumbnails, the view that is open, and errors.
import { parseLines, request } from './data.js';
import { byId } from './dom.js';
import { counted, duration } from './format.js';
import { showErrors } from './frame.js';
import { listen } from './live.js';
import { dropLinks, dropThumbnail } from './thumbnails.js';

export class LiveBuilds {
  /** @param {any} app */
  constructor(app) {
    this.app = app;
    this.element = byId('live');
    this.stop = new AbortController();
    this.connected = false;
    this.missed = false;
  }

  start() {
    this.element.hidden = false;
    this.state('off');
    listen({ event: (event) => this.event(event), state: (state) => this.state(state) }, this.stop.signal);
  }

  /** @param {'on' | 'off'} state */
  state(state) {
    if (state === 'off' && this.connected) this.missed = true;
    this.connected = state === 'on';
    this.element.classList.toggle('on', this.connected);
    if (!this.connected) this.element.textContent = 'Connecting …';
    else if (this.element.textContent === 'Connecting …') this.element.textContent = 'Live';
  }

  /** @param {any} event */
  async event(event) {
    const root = this.app.roots[0];
    if (event.event === 'hello') {
      this.setErrors(root, event.errors ?? []);
      // Builds may have run while there was no connection.
      if (this.missed) await this.reload(root, null);
      this.missed = false;
    } else if (event.event === 'built') {
      this.element.textContent = event.ok ? `Built in ${duration(event.seconds)}` : counted((event.errors ?? []).length, 'error');
      this.element.classList.toggle('failed', !event.ok);
      this.setErrors(root, event.errors ?? []);
      await this.reload(root, event.everything ? null : [...(event.written ?? []), ...(event.removed ?? [])]);
    }
  }

  /** Puts errors at their assets. @param {any} root @param {any[]} errors */
  setErrors(root, errors) {
    root.errors = new Map();
    for (const error of errors) {
      const line = { event: 'diagnostic', severity: 'error', kind: '', place: '', hint: '', ...error },
        key = error.file.split(' ')[0];
      for (const name of new Set([error.file, key])) root.errors.set(name, [...(root.errors.get(name) ?? []), line]);
    }
    showErrors(errors);
    this.app.list.tree.redraw();
    this.app.list.showFilters();
    const file = root.byPath.get(this.app.path);
    if (file && this.app.tab === 'assets' && this.app.root === root) this.app.inspector.showProblems(root, file);
  }

  /** @param {any} root @param {string[] | null} paths that changed; null: any */
  async reload(root, paths) {
    const { app } = this,
      open = app.path,
      shown = app.tab === 'assets' && app.root === root;
    const changed = paths === null || paths.includes(open) || (shown && app.view?.uses?.(paths));
    for (const path of paths ?? root.files.map((/** @type {any} */ file) => file.path)) {
      dropThumbnail(root.id, path);
      app.linksOf(root).forget(path);
    }
    dropLinks(root);
    // The view does not wait for the facts of all files.
    const view = app.view,
      updated = shown && changed && view ? view.update(paths).catch(() => false) : Promise.resolve(true);
    // The picture comes first: the server and this page share the processors.
    const done = await updated;
    const lines = request(`${root.id}/files.jsonl`).then(async (response) => parseLines(await /** @type {Response} */ (response).text()));
    const build = request(`${root.id}/build.jsonl`, { optional: true }).then(async (response) =>
      parseLines((await response?.text()) ?? ''),
    );
    const problems = request(`${root.id}/diagnostics.jsonl`, { optional: true }).then(async (response) =>
      parseLines((await response?.text()) ?? ''),
    );
    try {
      root.setFiles(await lines);
      root.setBuild(await build, await problems);
    } catch {
      return; // the next build, or the next connection, loads them
    }
    if (app.root === root) app.list.show(root);
    if (app.view !== view) return;
    if (app.tab === 'report') app.page('report');
    else if (shown && (!done || (changed && !root.byPath.has(open)) || (!view && changed))) app.open(open);
    else if (shown && changed) {
      app.list.tree.select(open);
      app.inspector.showFacts(root, root.byPath.get(open));
    }
    performance.mark('assetc-refreshed');
  }
}
