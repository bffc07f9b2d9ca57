// The view of a texture: its levels, faces, layers and slices, the source beside it, and what other formats make of it.
import { choice, el, problemBox, segmented, slider, toggle } from './dom.js';
import { decibels, short, size } from './format.js';
import { pageError, run } from './jobs.js';
import { pictureOf, readPicture } from './source_picture.js';
import { splitHandle } from './split_handle.js';
import { giveCanvas, takeCanvas } from './canvas_pool.js';
import { showTexturePanels } from './texture_panels.js';
import { vkName } from './vk_names.js';

/** @typedef {import('./app.js').Context} Context */

const FACES = ['+X', '-X', '+Y', '-Y', '+Z', '-Z'];
const CHANNELS = ['R', 'G', 'B', 'A'];
/** Bits of a texel of what UASTC and ETC1S become. @type {Record<string, number>} */
const TARGETS = {
  bc7: 8,
  bc3: 8,
  bc1: 4,
  bc5: 8,
  bc4: 4,
  'astc-4x4': 8,
  'etc2-rgba': 8,
  'etc2-rgb': 4,
  etc1: 4,
  'eac-rg11': 8,
  'eac-r11': 4,
};
/** Above this many texels, a smaller level is shown until the level is decoded. */
const PREVIEW_TEXELS = 1 << 21;

/** @param {Context} context */
export async function open(context) {
  const view = new TextureView(context);
  await view.load();
  return view;
}

class TextureView {
  /** @param {Context} context */
  constructor(context) {
    this.context = context;
    this.index = { level: 0, layer: 0, face: 0, slice: 0 };
    this.as = '';
    this.compare = 'off';
    /** @type {any} */
    this.about = null;
    this.serial = 0;
    this.events = new AbortController();
    const later = /** @type {any} */ (null);
    /** @type {Uint8Array} */
    this.bytes = later;
    /** @type {HTMLCanvasElement} */
    this.element = later;
    /** @type {HTMLElement} */
    this.stage = later;
    /** @type {HTMLElement} over the left side: the source */
    this.note = later;
    /** @type {HTMLElement} */
    this.noteRight = later;
    /** @type {HTMLElement} */
    this.handle = later;
    /** @type {HTMLElement} the texel under the pointer */
    this.values = later;
    /** @type {HTMLElement} */
    this.metrics = later;
    /** @type {HTMLElement} */
    this.scaleText = later;
    /** @type {import('./texture_canvas.js').TextureCanvas} */
    this.canvas = later;
    /** @type {any} */
    this.image = null;
    /** @type {any[]} */
    this.channels = [];
    /** @type {any} */
    this.selects = {};
    /** @type {HTMLElement | null} */
    this.levelTable = null;
    this.root = context.root;
  }

  async load() {
    const { root, file, signal, main } = this.context;
    this.bytes = await root.read(file.path, signal);
    const first = await this.decode(this.firstIndex());
    signal.throwIfAborted();
    this.about = first.about;
    this.build(main);
    this.levelTable = showTexturePanels(this.context.inspector, this.about, (level) => this.setIndex('level', level));
    this.context.showLinks();
    this.show(first);
    this.canvas.fit();
    this.canvas.drawNow();
    // The level itself, if a smaller one was shown first.
    if (first.index.level !== this.index.level) this.shown = this.refresh();
  }

  /** A level that is decoded quickly. */
  firstIndex() {
    const { file } = this.context;
    let level = 0;
    while (file.width && level + 1 < (file.levels ?? 1) && (file.width >> level) * (file.height >> level) > PREVIEW_TEXELS) ++level;
    return { ...this.index, level };
  }

  /** @param {typeof this.index} index */
  async decode(index) {
    const image = await run('image', this.context.file.path, { bytes: this.bytes, index, as: this.as });
    return { ...image, index };
  }

  /** @param {HTMLElement} main */
  build(main) {
    const { about } = this,
      { file } = this.context;
    this.canvas = takeCanvas();
    this.element = this.canvas.canvas;
    this.element.setAttribute('aria-label', `Picture of ${file.path}`);
    this.note = el('div', { class: 'note', hidden: true });
    this.noteRight = el('div', { class: 'note right', hidden: true });
    this.handle = splitHandle((part) => {
      this.canvas.state.split = part;
      this.canvas.draw();
    });
    this.stage = el('div', { class: 'stage' }, this.element, this.handle, this.note, this.noteRight);
    this.values = el('span', { class: 'mono', text: '' });
    this.metrics = el('span', { 'aria-live': 'polite' });
    this.scaleText = el('span', {});
    const channels = [0, 1, 2, 3].map((c) => {
      const button = toggle(CHANNELS[c], this.startsWith(c), (on) => this.setChannel(c, on), `Channel ${CHANNELS[c]}; Alt: this one alone`);
      button.classList.add('channel', CHANNELS[c].toLowerCase());
      button.addEventListener('click', (event) => {
        if (event.altKey) channels.forEach((other, o) => other.set(o === c));
      });
      return button;
    });
    this.channels = channels;
    const options = (/** @type {number} */ n, /** @type {(i: number) => string} */ text) =>
      Array.from({ length: n }, (_, i) => ({ value: String(i), text: text(i) }));
    const at = (/** @type {'level' | 'layer' | 'face' | 'slice'} */ name) => (/** @type {string} */ value) =>
      this.setIndex(name, Number(value));
    this.selects = {
      level: choice(
        'Level',
        options(about.levels, (i) => `${i}: ${Math.max(1, about.width >> i)} × ${Math.max(1, about.height >> i)}`),
        '0',
        at('level'),
      ),
      layer: about.layers > 1 ? choice('Layer', options(about.layers, String), '0', at('layer')) : null,
      face:
        about.faces > 1
          ? choice(
              'Face',
              options(6, (i) => FACES[i]),
              '0',
              at('face'),
            )
          : null,
      slice: about.depth > 1 ? choice('Slice', options(about.depth, String), '0', at('slice')) : null,
    };
    const canCompare = pictureOf(file.source) !== '' && about.faces === 1 && about.depth === 1 && about.layers === 1 && !about.hdr;
    const tools = el(
      'div',
      { class: 'tools' },
      el('div', { class: 'segmented', role: 'group', 'aria-label': 'Channels' }, channels),
      this.selects.level,
      this.selects.layer,
      this.selects.face,
      this.selects.slice,
      about.channels.includes(3)
        ? choice(
            'Behind',
            [
              { value: '1', text: 'Checker' },
              { value: '2', text: 'Black' },
              { value: '3', text: 'White' },
            ],
            '1',
            (value) => {
              this.canvas.state.checker = Number(value);
              this.canvas.draw();
            },
          )
        : null,
      slider('Exposure', { min: -8, max: 8, step: 0.25, value: 0, show: (value) => `${value > 0 ? '+' : ''}${value}` }, (value) => {
        this.canvas.state.exposure = value;
        this.canvas.draw();
      }),
      this.asTool(),
      this.compareTool(canCompare),
      el('span', { class: 'spacer' }),
      el('button', { type: 'button', text: 'Fit', title: 'Show the whole picture (f)', onclick: () => this.canvas.fit() }),
      el('button', {
        type: 'button',
        text: '100 %',
        title: 'One pixel for each texel',
        onclick: () => this.canvas.zoom(devicePixelRatio || 1),
      }),
    );
    main.replaceChildren(
      tools,
      this.stage,
      el('div', { class: 'status' }, this.values, this.metrics, el('span', { class: 'spacer' }), this.scaleText),
    );
    this.canvas.resize();
    this.canvas.size = [about.width, about.height];
    this.canvas.state.channels = CHANNELS.map((_, c) => (this.startsWith(c) ? 1 : 0));
    this.canvas.drawn = () => this.moved();
    this.element.addEventListener('pointermove', (event) => this.hover(event.offsetX, event.offsetY), { signal: this.events.signal });
    const leave = () => {
      this.values.textContent = '';
    };
    this.element.addEventListener('pointerleave', leave, { signal: this.events.signal });
  }

  /** One channel alone is shown as gray. @param {number} c */
  startsWith(c) {
    return this.about.channels.length === 1 ? c === 0 : c < 3 || this.about.channels.includes(c);
  }

  asTool() {
    const { about } = this,
      own = about.model === 'block' || about.model === 'raw' ? vkName(about.vkFormat) : about.model;
    if (about.model !== 'uastc' && about.model !== 'etc1s') return null;
    const names = Object.keys(TARGETS).filter(
      (name) => about.channels.length <= 2 || !['bc4', 'bc5', 'eac-r11', 'eac-rg11'].includes(name),
    );
    return choice(
      'As',
      [{ value: '', text: own.toUpperCase() }, ...names.map((name) => ({ value: name, text: name.toUpperCase() }))],
      '',
      (value) => {
        this.as = value;
        this.refresh();
      },
    );
  }

  /** @param {boolean} canCompare */
  compareTool(canCompare) {
    const group = segmented(
      'Compare with the source',
      [
        { value: 'off', text: 'Compiled' },
        { value: 'split', text: 'Split', title: 'The source on the left' },
        { value: 'source', text: 'Source' },
        { value: 'difference', text: 'Difference', title: 'Black: equal; white: 1/8 of full scale or more' },
      ],
      'off',
      (value) => this.setCompare(value),
    );
    this.compareGroup = group;
    if (canCompare) return group;
    const { file } = this.context;
    const why = !file.source
      ? 'the source is not known'
      : !pictureOf(file.source)
        ? 'browsers do not read the format of the source'
        : 'the source is not one picture';
    for (const button of group.querySelectorAll('button'))
      if (button.textContent !== 'Compiled') Object.assign(button, { disabled: true, title: `Not available: ${why}` });
    return group;
  }

  /** @param {any} image */
  show(image) {
    this.image = image;
    this.canvas.setPicture(0, { width: image.width, height: image.height, data: image.data, half: image.half, srgb: image.about.srgb });
    this.canvas.state.counted = [0, 1, 2, 3].map((c) => (image.about.channels.includes(c) ? 1 : 0));
    this.noteRight.hidden = !this.as;
    if (this.as) this.noteRight.textContent = `as ${this.as.toUpperCase()}: ${size(image.encodedBytes)} for this level`;
    this.stage.querySelector('.problem')?.remove();
  }

  /** Decodes what the tools say, and shows it. */
  async refresh() {
    const serial = ++this.serial;
    try {
      const image = await this.decode({ ...this.index });
      if (serial !== this.serial || this.context.signal.aborted) return;
      this.show(image);
      this.canvas.drawNow();
      if (this.compare !== 'off') await this.loadSource(serial);
    } catch (error) {
      if (serial === this.serial && !this.context.signal.aborted) this.fail(error);
    }
  }

  /** @param {any} error */
  fail(error) {
    const { place, what, hint } = pageError(error, this.context.file.path);
    this.stage.querySelector('.problem')?.remove();
    this.stage.append(problemBox({ place, what, hint }));
  }

  /** @param {number} serial */
  async loadSource(serial) {
    const { file, signal } = this.context,
      image = this.image,
      source = pictureOf(file.source),
      blob = await this.root.readSource(source, signal);
    if (!blob) throw new Error(`the source ${source} is not available: it is inside its model, or this is an export without --sources`);
    const picture = await readPicture(blob, source, { width: image.width, height: image.height });
    if (serial !== this.serial || signal.aborted) return;
    this.canvas.setPicture(1, { ...picture, srgb: this.about.srgb });
    this.canvas.drawNow();
    this.note.textContent = picture.scaled ? 'source, scaled to this level' : 'source';
    this.metrics.textContent = 'Comparing …';
    const channels = this.about.channels;
    const found = await run('compare', source, { a: picture.data, b: image.data, width: image.width, height: image.height, channels });
    if (serial !== this.serial) return;
    this.found = found;
    const alpha = channels.includes(3) ? `, alpha ${decibels(found.psnrChannels[3])}` : '';
    const ssim = found.ssim === null ? 'too large' : found.ssim.toFixed(5),
      only = channels.length < 3 ? ` · ${channels.map((/** @type {number} */ c) => CHANNELS[c]).join(', ')} only` : '',
      scaled = picture.scaled ? ' · source scaled by the browser' : '',
      largest = short(Math.round(found.largest * 255));
    this.metrics.textContent = `PSNR ${decibels(found.psnr)}${alpha} · SSIM ${ssim} · largest difference ${largest} of 255${only}${scaled}`;
  }

  /** @param {string} value */
  setCompare(value) {
    const loads = this.compare === 'off' && value !== 'off';
    this.compare = value;
    this.canvas.state.mode = value === 'off' ? 'a' : value === 'source' ? 'b' : /** @type {any} */ (value);
    this.handle.hidden = value !== 'split';
    this.note.hidden = value !== 'split' && value !== 'source';
    if (value === 'off') this.metrics.textContent = '';
    if (loads) this.refresh();
    else this.canvas.draw();
  }

  /** @param {number} c @param {boolean} on */
  setChannel(c, on) {
    if (!this.canvas) return;
    this.canvas.state.channels[c] = on ? 1 : 0;
    this.canvas.draw();
  }

  /** @param {'level' | 'layer' | 'face' | 'slice'} name @param {number} value */
  setIndex(name, value) {
    this.index[name] = value;
    if (name === 'level' && this.selects.slice) this.index.slice = Math.min(this.index.slice, Math.max(1, this.about.depth >> value) - 1);
    for (const key of /** @type {const} */ (['level', 'layer', 'face', 'slice']))
      if (this.selects[key]) this.selects[key].select.value = String(this.index[key]);
    for (const [i, row] of [...(this.levelTable?.querySelectorAll('tbody tr') ?? [])].entries())
      row.classList.toggle('pressed', i === this.index.level);
    this.refresh();
  }

  moved() {
    const ratio = devicePixelRatio || 1;
    this.scaleText.textContent = `${short(Number(((100 * this.canvas.scale) / ratio).toPrecision(3)))} %`;
  }

  /** @param {number} x @param {number} y */
  hover(x, y) {
    const texel = this.canvas.texelAt(x, y);
    if (!texel) {
      this.values.textContent = '';
      return;
    }
    const text = (/** @type {number[]} */ values) =>
      values.map((value, c) => `${CHANNELS[c]} ${Number.isInteger(value) ? value : value.toPrecision(4)}`).join('  ');
    const [compiled, source] = texel.values;
    this.values.textContent = `${texel.x}, ${texel.y}   ${compiled ? text(compiled) : ''}${source && this.compare !== 'off' ? `   source ${text(source)}` : ''}`;
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether the key was used */
  key(event) {
    if (event.key === 'f') {
      this.canvas.fit();
    } else if (/^[1-9]$/.test(event.key)) {
      const level = Number(event.key) - 1;
      if (level < this.about.levels) this.setIndex('level', level);
    } else if (/^[rgba]$/.test(event.key)) {
      const button = this.channels[['r', 'g', 'b', 'a'].indexOf(event.key)];
      button.set(button.getAttribute('aria-pressed') !== 'true');
    } else return false;
    return true;
  }

  /** The file was written again. */
  async update() {
    this.bytes = await this.context.root.read(this.context.file.path, this.context.signal);
    const before = this.about;
    const image = await this.decode({ ...this.index, level: Math.min(this.index.level, (this.context.file.levels ?? 1) - 1) });
    this.about = image.about;
    if (['width', 'height', 'depth', 'layers', 'faces', 'levels', 'model'].some((name) => before[name] !== image.about[name])) return false;
    this.show(image);
    this.canvas.drawNow();
    if (this.compare !== 'off') await this.loadSource(++this.serial);
    return true;
  }

  destroy() {
    this.events.abort();
    if (this.canvas) giveCanvas(this.canvas);
  }
}
