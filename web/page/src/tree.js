// The tree of assets: only the rows that are visible exist as elements, so that it scrolls smoothly with any number of assets.
import { el } from './dom.js';
import { familyOf, folderOf, nameOf, size } from './format.js';
import { icon } from './icons.js';

/**
 * @typedef {import('./data.js').FileFact} FileFact
 * @typedef {{ name: string, path: string, depth: number, file: FileFact | null, children: Folder | null, bytes: number, position: number, total: number }} Row
 * @typedef {Map<string, Folder | FileFact>} Folder
 */

const ROW = 30;

export class Tree {
  /**
   * @param {HTMLElement} outer scrolls
   * @param {{ open: (file: FileFact) => void, thumbnail: (file: FileFact, place: HTMLElement) => (() => void), severity: (file: FileFact) => string,
   *   nameOf: (file: FileFact) => string }} hooks severity: `error`, `warning` or ''
   */
  constructor(outer, hooks) {
    this.outer = outer;
    this.hooks = hooks;
    this.inner = el('div', { class: 'rows' });
    outer.append(this.inner);
    outer.setAttribute('role', 'tree');
    outer.setAttribute('aria-label', 'Assets');
    outer.tabIndex = 0;
    /** @type {FileFact[]} */
    this.files = [];
    /** @type {Row[]} */
    this.rows = [];
    /** @type {Set<string>} */
    this.closed = new Set();
    this.flat = false;
    this.current = '';
    /** @type {Map<number, { element: HTMLElement, cancel: () => void }>} */
    this.drawn = new Map();
    outer.addEventListener('scroll', () => this.draw(), { passive: true });
    outer.addEventListener('keydown', (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(outer);
  }

  /** @param {FileFact[]} files @param {boolean} flat shows a list in the given order, without folders */
  show(files, flat) {
    this.files = files;
    this.flat = flat;
    if (files.length > 2000 && this.closed.size === 0 && !flat) this.closeAll();
    this.arrange();
  }

  closeAll() {
    for (const file of this.files) {
      const parts = this.hooks.nameOf(file).split('/');
      for (let i = 1; i < parts.length; ++i) this.closed.add(parts.slice(0, i).join('/'));
    }
  }

  /** Makes the rows again. */
  arrange() {
    this.rows = [];
    if (this.flat) {
      this.rows = this.files.map((file, i) => ({
        name: this.hooks.nameOf(file),
        path: file.path,
        depth: 0,
        file,
        children: null,
        bytes: file.bytes,
        position: i + 1,
        total: this.files.length,
      }));
    } else {
      /** @type {Folder} */
      const root = new Map();
      for (const file of this.files) {
        const parts = this.hooks.nameOf(file).split('/'),
          name = /** @type {string} */ (parts.pop());
        let folder = root;
        for (const part of parts) {
          const key = `${part}/`;
          let next = folder.get(key);
          if (!(next instanceof Map)) folder.set(key, (next = new Map()));
          folder = next;
        }
        folder.set(folder.has(name) ? `${name} (${file.path})` : name, file);
      }
      this.add(root, '', 0);
    }
    this.inner.style.height = `${this.rows.length * ROW}px`;
    this.clear();
    this.draw();
  }

  /** @param {Folder} folder @param {string} prefix @param {number} depth @returns {number} bytes of all files below */
  add(folder, prefix, depth) {
    const entries = [...folder].sort(
      ([a, x], [b, y]) => Number(y instanceof Map) - Number(x instanceof Map) || a.localeCompare(b, 'en', { numeric: true }),
    );
    let bytes = 0;
    entries.forEach(([name, entry], i) => {
      if (!(entry instanceof Map)) {
        bytes += entry.bytes;
        this.rows.push({
          name,
          path: entry.path,
          depth,
          file: entry,
          children: null,
          bytes: entry.bytes,
          position: i + 1,
          total: entries.length,
        });
        return;
      }
      const path = prefix + name.slice(0, -1);
      /** @type {Row} */
      const row = { name: name.slice(0, -1), path, depth, file: null, children: entry, bytes: 0, position: i + 1, total: entries.length };
      this.rows.push(row);
      if (this.closed.has(path)) row.bytes = sum(entry);
      else row.bytes = this.add(entry, `${path}/`, depth + 1);
      bytes += row.bytes;
    });
    return bytes;
  }

  clear() {
    for (const { element, cancel } of this.drawn.values()) {
      cancel();
      element.remove();
    }
    this.drawn.clear();
  }

  draw() {
    const first = Math.max(0, Math.floor(this.outer.scrollTop / ROW) - 4),
      last = Math.min(this.rows.length, Math.ceil((this.outer.scrollTop + this.outer.clientHeight) / ROW) + 4);
    for (const [i, { element, cancel }] of this.drawn) {
      if (i >= first && i < last) continue;
      cancel();
      element.remove();
      this.drawn.delete(i);
    }
    const added = document.createDocumentFragment();
    for (let i = first; i < last; ++i) {
      if (this.drawn.has(i)) continue;
      const made = this.element(i);
      this.drawn.set(i, made);
      added.append(made.element);
    }
    this.inner.append(added);
  }

  /** @param {number} i */
  element(i) {
    const row = this.rows[i],
      { file } = row,
      severity = file ? this.hooks.severity(file) : '';
    const picture = el('span', { class: 'picture' }, icon(file ? familyOf(file) : 'folder'));
    const isCurrent = file !== null && file.path === this.current;
    const element = el(
      'div',
      {
        class: `row${isCurrent ? ' current' : ''}`,
        role: 'treeitem',
        id: `row-${i}`,
        title: file?.path ?? row.path,
        'aria-level': row.depth + 1,
        'aria-posinset': row.position,
        'aria-setsize': row.total,
        'aria-selected': String(isCurrent),
        'aria-expanded': row.children ? String(!this.closed.has(row.path)) : null,
        style: { transform: `translateY(${i * ROW}px)`, paddingLeft: `${8 + row.depth * 14}px` },
        onclick: () => {
          if (row.children) this.toggle(row.path);
          else if (file) this.hooks.open(file);
        },
      },
      el('span', { class: `chevron${row.children ? (this.closed.has(row.path) ? '' : ' open') : ' none'}`, 'aria-hidden': 'true' }),
      picture,
      el('span', { class: 'name' }, nameOf(row.name), folderOf(row.name) ? el('span', { class: 'soft', text: ` ${folderOf(row.name)}` }) : null),
      severity
        ? el('span', { class: `dot ${severity}`, role: 'img', 'aria-label': severity === 'error' ? 'has errors' : 'has warnings' })
        : null,
      el('span', { class: 'bytes', text: size(row.bytes) }),
    );
    const cancel = file ? this.hooks.thumbnail(file, picture) : () => {};
    return { element, cancel };
  }

  /** @param {string} path */
  toggle(path) {
    if (!this.closed.delete(path)) this.closed.add(path);
    this.arrange();
  }

  /** Marks a file, and makes it visible. @param {string} path */
  select(path) {
    this.current = path;
    let i = this.rows.findIndex((row) => row.file?.path === path);
    if (i === -1) {
      const file = this.files.find((one) => one.path === path);
      if (!file) return this.redraw();
      const parts = this.hooks.nameOf(file).split('/');
      for (let n = 1; n < parts.length; ++n) this.closed.delete(parts.slice(0, n).join('/'));
      this.arrange();
      i = this.rows.findIndex((row) => row.file?.path === path);
    }
    const top = i * ROW;
    if (top < this.outer.scrollTop) this.outer.scrollTop = top - ROW;
    else if (top + ROW > this.outer.scrollTop + this.outer.clientHeight) this.outer.scrollTop = top + 2 * ROW - this.outer.clientHeight;
    this.redraw();
    this.outer.setAttribute('aria-activedescendant', `row-${i}`);
  }

  redraw() {
    this.clear();
    this.draw();
  }

  /** The row that the keyboard moves from. */
  place() {
    return this.rows.findIndex((row) => row.file?.path === this.current || (row.children && row.path === this.current));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const i = this.place(),
      row = this.rows[i];
    const move = (/** @type {number} */ to) => {
      const next = this.rows[Math.max(0, Math.min(this.rows.length - 1, to))];
      if (!next) return;
      if (next.file) this.hooks.open(next.file);
      else {
        this.current = next.path;
        this.outer.scrollTop = Math.min(
          Math.max(this.outer.scrollTop, this.rows.indexOf(next) * ROW + 2 * ROW - this.outer.clientHeight),
          this.rows.indexOf(next) * ROW,
        );
        this.redraw();
        const drawn = this.drawn.get(this.rows.indexOf(next));
        drawn?.element.classList.add('current');
        this.outer.setAttribute('aria-activedescendant', `row-${this.rows.indexOf(next)}`);
      }
    };
    const page = Math.floor(this.outer.clientHeight / ROW) - 1;
    if (event.key === 'ArrowDown') move(i + 1);
    else if (event.key === 'ArrowUp') move(i - 1);
    else if (event.key === 'PageDown') move(i + page);
    else if (event.key === 'PageUp') move(i - page);
    else if (event.key === 'Home') move(0);
    else if (event.key === 'End') move(this.rows.length - 1);
    else if ((event.key === 'Enter' || event.key === ' ') && row?.children) this.toggle(row.path);
    else if (event.key === 'ArrowRight' && row?.children && this.closed.has(row.path)) this.toggle(row.path);
    else if (event.key === 'ArrowLeft' && row?.children && !this.closed.has(row.path)) this.toggle(row.path);
    else if (event.key === 'ArrowLeft' && row) {
      for (let p = i - 1; p >= 0; --p) {
        if (this.rows[p].depth >= row.depth) continue;
        move(p);
        break;
      }
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** @param {Folder} folder @returns {number} */
function sum(folder) {
  let bytes = 0;
  for (const entry of folder.values()) bytes += entry instanceof Map ? sum(entry) : entry.bytes;
  return bytes;
}
