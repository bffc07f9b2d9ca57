// The page of `assetc view`: the tree on the left, a view in the middle, the inspector on the right.
import { AssetTree } from './asset_list.js';
import { loadSite, Root, token } from './data.js';
import { byId, el, problemBox } from './dom.js';
import { acceptDrops, rootOf } from './drop.js';
import { counted, familyOf, size } from './format.js';
import { Inspector } from './inspector.js';
import * as jobs from './jobs.js';
import { keyHelp, setUpKeys } from './keys.js';
import { Links } from './links.js';
import { LiveBuilds } from './live_builds.js';
import { setUpSplitters, setUpTheme, showEmptyPage } from './frame.js';

/**
 * What a view gets.
 * @typedef {{ root: Root, file: import('./data.js').FileFact, main: HTMLElement, inspector: Inspector, signal: AbortSignal, links: Links,
 *   open: (path: string) => void, showLinks: () => void }} Context
 * @typedef {{ key: (event: KeyboardEvent) => boolean, update: (changed?: string[] | null) => Promise<boolean>, destroy: () => void }} View update: files
 *   were written again, null: any; false: the view must be made again
 */

const main = byId('main'),
  tabsElement = byId('tabs'),
  body = byId('body');

class App {
  constructor() {
    /** @type {Root[]} */
    this.roots = [];
    /** @type {Root} */
    this.root = new Root({ id: '', label: '', type: 'files', path: '' });
    /** @type {Map<Root, Links>} */
    this.links = new Map();
    this.inspector = new Inspector();
    this.tab = 'assets';
    this.path = '';
    /** @type {View | null} */
    this.view = null;
    this.stop = new AbortController();
    /** @type {import('./data.js').SiteInfo | null} */
    this.site = null;
    this.list = new AssetTree((file) => this.open(file.path));
    this.live = new LiveBuilds(this);
    this.jobs = jobs;
  }

  async start() {
    setUpTheme();
    setUpSplitters();
    setUpKeys(this);
    byId('help').addEventListener('click', keyHelp);
    byId('skip').addEventListener('click', (/** @type {Event} */ event) => {
      event.preventDefault();
      main.focus();
    });
    byId('drawer').addEventListener('click', () => this.drawer(!body.classList.contains('drawer')));
    byId('roots').addEventListener('change', () => this.setRoot(this.roots[byId('roots').selectedIndex], ''));
    main.addEventListener('pointerdown', () => this.drawer(false));
    addEventListener('hashchange', () => this.followHash());
    acceptDrops((files) => this.dropped(files));
    try {
      this.site = await loadSite();
    } catch (error) {
      this.fail(error);
      return;
    }
    if (!this.site) {
      body.classList.add('whole');
      showEmptyPage((files) => this.dropped(files));
      return;
    }
    byId('title').textContent = this.site.title;
    document.title = `${this.site.title} · assetc`;
    this.roots = this.site.roots.map((info) => new Root(info));
    this.showRoots();
    try {
      await this.roots[0].load();
    } catch (error) {
      this.fail(error);
      return;
    }
    this.setRoot(this.roots[0], null);
    // The frame is visible before a view uses the GPU.
    await new Promise((done) => {
      requestAnimationFrame(() => setTimeout(done));
      setTimeout(done, 100);
    });
    if (this.roots[0].files.length === 1 && !location.hash.includes('/')) this.open(this.roots[0].files[0].path);
    else this.followHash();
    jobs.warmUp();
    if (this.site.live) this.live.start();
  }

  showRoots() {
    const select = byId('roots');
    select.hidden = this.roots.length < 2;
    select.replaceChildren(...this.roots.map((root) => el('option', { text: root.info.label, selected: root === this.root })));
  }

  /** @param {any} error */
  fail(error) {
    const { place, what, hint } = jobs.pageError(error);
    main.replaceChildren(el('div', { class: 'empty' }, problemBox({ place, what, hint })));
    body.classList.add('whole');
  }

  /** @param {Map<string, File>} files */
  async dropped(files) {
    body.classList.remove('whole');
    main.replaceChildren(el('div', { class: 'empty', role: 'status', text: `Reading ${counted(files.size, 'file')} …` }));
    const root = await rootOf(files, (done, all) => {
      const text = main.querySelector('.empty');
      if (text) text.textContent = `Read ${done} of ${counted(all, 'file')}`;
    });
    root.info.id = `dropped${this.roots.length}`;
    this.roots.push(root);
    this.setRoot(root, root.files.length === 1 ? root.files[0].path : '');
    this.showRoots();
  }

  /** @param {Root} root @param {string | null} path '': none is open; null: the hash says which */
  async setRoot(root, path) {
    if (root.files.length === 0 && root.info.id !== '' && root !== this.roots[0]) {
      try {
        await root.load();
      } catch (error) {
        this.fail(error);
        return;
      }
    }
    this.root = root;
    byId('roots').selectedIndex = this.roots.indexOf(root);
    if (!byId('title').textContent || !this.site) byId('title').textContent = root.info.label;
    this.list.show(root);
    this.showTabs();
    if (path !== null) {
      this.path = path;
      this.setTab('assets');
    }
  }

  showTabs() {
    const { root } = this,
      compare = this.site?.compare !== null && this.site?.compare !== undefined;
    /** @type {[string, string][]} */
    const tabs = [
      ['assets', 'Assets'],
      ['report', 'Report'],
    ];
    if (root.registry) tabs.push(['dependencies', 'Dependencies']);
    if (root.info.type === 'pack' || root.info.type === 'bundle') tabs.push(['map', 'Map of bytes']);
    if (compare) tabs.push(['compare', 'Compare']);
    this.tabs = tabs;
    tabsElement.replaceChildren(
      ...tabs.map(([id, text]) =>
        el('button', {
          type: 'button',
          role: 'tab',
          id: `tab-${id}`,
          text,
          'aria-selected': String(id === this.tab),
          'aria-controls': 'main',
          tabindex: id === this.tab ? 0 : -1,
          onclick: () => this.setTab(id),
          onkeydown: (/** @type {KeyboardEvent} */ event) => {
            const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
            if (!by) return;
            const next = tabs[(tabs.findIndex(([one]) => one === id) + by + tabs.length) % tabs.length][0];
            this.setTab(next);
            byId(`tab-${next}`).focus();
            event.stopPropagation();
          },
        }),
      ),
    );
  }

  /** @param {string} tab */
  setTab(tab) {
    if (!this.tabs?.some(([id]) => id === tab)) tab = 'assets';
    this.tab = tab;
    this.showTabs();
    this.writeHash();
    if (tab === 'assets') this.open(this.path);
    else this.page(tab);
  }

  /** Ends what is shown. */
  close() {
    this.stop.abort();
    this.stop = new AbortController();
    this.view?.destroy();
    this.view = null;
    this.inspector.clear();
  }

  /** Shows a page about the whole root. @param {string} tab */
  async page(tab) {
    this.close();
    const { signal } = this.stop;
    body.classList.remove('whole');
    body.classList.add('wide-main');
    try {
      const module =
        tab === 'report'
          ? await import('./report.js')
          : tab === 'dependencies'
            ? await import('./dependencies.js')
            : tab === 'map'
              ? await import('./archive_map.js')
              : await import('./compare_view.js');
      if (signal.aborted) return;
      const view = await module.open({
        root: this.root,
        roots: this.roots,
        site: this.site,
        main,
        signal,
        open: (/** @type {string} */ path) => this.open(path),
      });
      if (signal.aborted) view?.destroy();
      else this.view = view;
    } catch (error) {
      if (!signal.aborted) main.replaceChildren(el('div', { class: 'empty' }, problemBox(jobs.pageError(error))));
    }
  }

  /** @param {Root} root */
  linksOf(root) {
    let links = this.links.get(root);
    if (!links) this.links.set(root, (links = new Links(root)));
    return links;
  }

  /** Shows an asset. @param {string} path '': none */
  async open(path) {
    const { root } = this,
      file = root.byPath.get(path);
    this.close();
    const { signal } = this.stop;
    this.path = path;
    if (this.tab !== 'assets') {
      this.tab = 'assets';
      this.showTabs();
    }
    this.writeHash();
    body.classList.remove('whole');
    body.classList.toggle('wide-main', !file);
    this.drawer(false);
    this.list.tree.select(path);
    if (!file) {
      const bytes = root.files.reduce((sum, one) => sum + one.bytes, 0);
      main.replaceChildren(
        el(
          'div',
          { class: 'empty' },
          path ? el('h2', { text: `${path} does not exist` }) : el('h2', { text: root.info.label }),
          el('p', {
            text: `${counted(root.files.length, 'file')}, ${size(bytes)}. Choose an asset on the left, or drop files on this page.`,
          }),
        ),
      );
      return;
    }
    this.inspector.title(root, file);
    this.inspector.facts(root, file);
    const links = this.linksOf(root);
    /** @type {Context} */
    const context = {
      root,
      file,
      main,
      inspector: this.inspector,
      signal,
      links,
      open: (to) => this.open(to),
      showLinks: () => this.showLinks(root, path, signal),
    };
    main.replaceChildren();
    const waiting = el('div', { class: 'note', role: 'status', text: 'Reading …' });
    const slow = setTimeout(() => {
      if (!signal.aborted) (main.querySelector('.stage') ?? main).append(waiting);
    }, 150);
    try {
      // Of entries of a bundle, at most the type is known: the asset says the rest.
      if (file.kind === 'asset' && (!file.type || root.info.type === 'bundle') && !file.isRead) {
        const bytes = await root.read(path, signal);
        Object.assign(file, await jobs.run('facts', path, { bytes }, { transfer: [bytes.buffer], signal }), { bytes: file.bytes, isRead: true });
        this.inspector.refresh(root, file);
        signal.throwIfAborted();
        this.list.tree.redraw();
      }
      const module = await viewOf(file);
      const view = await module.open(context);
      clearTimeout(slow);
      waiting.remove();
      if (signal.aborted) view.destroy();
      else this.view = view;
    } catch (error) {
      clearTimeout(slow);
      if (signal.aborted) return;
      main.replaceChildren(el('div', { class: 'empty' }, problemBox(jobs.pageError(error, path))));
      if (!file.problem) file.problem = jobs.pageError(error, path).message;
      this.inspector.showProblems(root, file);
      this.list.tree.redraw();
      this.list.showFilters();
    }
  }

  /** @param {Root} root @param {string} path @param {AbortSignal} signal */
  async showLinks(root, path, signal) {
    const links = this.linksOf(root);
    try {
      const uses = await links.uses(path);
      if (signal.aborted) return;
      this.inspector.links('Uses', root, uses, (to) => this.open(to));
      const users = await links.users(path, signal);
      if (!signal.aborted) this.inspector.links('Used by', root, users, (to) => this.open(to));
    } catch (error) {
      if (!signal.aborted) this.inspector.section('Uses', problemBox(jobs.pageError(error, path)));
    }
  }

  writeHash() {
    const route =
      this.tab === 'assets' ? (this.path ? `/assets/${this.root.id}/${encodeURI(this.path)}` : '') : `/${this.tab}/${this.root.id}`;
    const hash = `#${token}${route}`;
    if (location.hash !== hash && (location.hash !== '' || route !== '')) history.pushState(null, '', hash);
  }

  followHash() {
    const [, tab = 'assets', id, ...rest] = location.hash.split('/');
    const root = this.roots.find((one) => one.id === id) ?? this.root,
      path = decoded(rest.join('/'));
    const changes = root !== this.root || tab !== this.tab || path !== this.path || !this.view;
    if (!changes) return;
    if (root !== this.root) {
      this.setRoot(root, path);
      return;
    }
    this.path = path;
    this.setTab(tab);
  }

  /** @param {boolean} open */
  drawer(open) {
    body.classList.toggle('drawer', open);
    byId('drawer').setAttribute('aria-expanded', String(open));
  }
}

/** @param {import('./data.js').FileFact} file @returns {Promise<{ open: (context: Context) => Promise<View> }>} */
function viewOf(file) {
  const family = familyOf(file),
    isCooked = file.kind === 'asset';
  if (family === 'texture') return import('./texture_view.js');
  if (isCooked ? file.type === 'Mesh' || file.type === 'Clusters' : family === 'scene' || /\.(hmesh|hcluster)$/.test(file.path)) return import('./model_view.js');
  if (family === 'material') return import('./material_view.js');
  if (file.path.endsWith('.hfont')) return import('./font_view.js');
  return import('./other_view.js');
}

/** @param {string} text of the address @returns {string} */
function decoded(text) {
  try {
    return decodeURI(text);
  } catch {
    return text;
  }
}

const app = new App();
/** @type {any} */ (globalThis).assetcPage = app; // for tests
app.start();
