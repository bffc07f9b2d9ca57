// The view of a .hfont: text at several sizes, the atlas with the boxes of its glyphs, and tables of glyphs and kerning.
import { choice, el, facts, problemBox, segmented, slider, table, toggle } from './dom.js';
import { count, short } from './format.js';
import { pageError, Session } from './jobs.js';

const SIZES = [12, 16, 24, 32, 48, 96],
  MARGIN = 4,
  FIRST_TEXT = 'The quick brown fox jumps over the lazy dog. AVATAR To Wa 0123456789',
  MOST_TEXT = 2000,
  MOST_ROWS = 2000;

/** @param {import('./app.js').Context} context */
export async function open(context) {
  const view = new FontView(context);
  try {
    await view.load();
  } catch (error) {
    view.destroy();
    throw error;
  }
  return view;
}

/** A character as people read it. @param {number} codePoint */
const characterText = (codePoint) => (codePoint === 32 ? '␣' : codePoint < 33 ? '' : String.fromCodePoint(codePoint));

class FontView {
  /** @param {import('./app.js').Context} context */
  constructor(context) {
    this.context = context;
    this.session = new Session();
    this.events = new AbortController();
    this.shown = 'text';
    this.text = FIRST_TEXT;
    this.size = 0;
    this.kerning = true;
    this.channels = 'color';
    this.boxes = true;
    this.scale = 1;
    /** The glyph that is marked. */
    this.selected = -1;
    this.serial = 0;
    this.tools = el('div', { class: 'tools' });
    this.body = el('div', { class: 'stage font' });
    this.bottom = el('div', { class: 'status' });
    context.main.replaceChildren(this.tools, this.body, this.bottom);
  }

  async load() {
    const { root, file, signal, links } = this.context,
      bytes = await root.read(file.path, signal);
    /** @type {import('./readers.js').FontFacts} */
    this.facts = await this.session.run('fontOpen', file.path, { bytes }, { transfer: [bytes.buffer] });
    const beside = file.path.replace(/\.[^./]+$/, '.atlas.ktx2');
    this.atlasPath = (await links.hashes()).get(this.facts.texture)?.path ?? beside;
    /** @type {{ width: number, height: number, data: Uint8ClampedArray<ArrayBuffer> } | null} */
    this.atlas = null;
    /** @type {any} */
    this.problem = null;
    try {
      const atlas = await root.read(this.atlasPath, signal);
      this.atlas = await this.session.run('fontAtlas', this.atlasPath, { bytes: atlas }, { transfer: [atlas.buffer] });
    } catch (error) {
      this.problem = pageError(error, this.atlasPath);
    }
    signal.throwIfAborted();
    this.characters = new Map();
    for (const { codePoint, glyph } of this.facts.characters) if (!this.characters.has(glyph)) this.characters.set(glyph, codePoint);
    this.makeTools();
    this.fill();
    addEventListener('assetc-theme', () => this.draw(), { signal: this.events.signal });
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.body);
    await this.draw();
  }

  makeTools() {
    const input = el('textarea', { 'aria-label': 'Text', rows: 1, maxlength: MOST_TEXT, class: 'grow' });
    input.value = this.text;
    input.addEventListener('input', () => {
      this.text = input.value;
      this.draw();
    });
    const ofText = [
      input,
      choice(
        'Size',
        [{ value: '0', text: 'Several' }, ...SIZES.map((size) => ({ value: String(size), text: `${size} px` })), { value: '200', text: '200 px' }],
        String(this.size),
        (value) => {
          this.size = Number(value);
          this.draw();
        },
      ),
      toggle('Kerning', this.kerning, (on) => {
        this.kerning = on;
        this.draw();
      }),
    ];
    const boxes = toggle('Boxes', this.boxes, (on) => {
      this.boxes = on;
      this.draw();
    });
    const ofAtlas = [
      choice(
        'Channels',
        [
          { value: 'color', text: 'Red, green, blue' },
          { value: 'alpha', text: 'Alpha (distance)' },
          { value: 'coverage', text: 'Coverage' },
        ],
        this.channels,
        (value) => {
          this.channels = value;
          this.draw();
        },
      ),
      boxes,
      slider('Zoom', { min: 1, max: 8, step: 1, value: this.scale, show: (value) => `${value}×` }, (value) => {
        this.scale = value;
        this.draw();
      }),
    ];
    const tabs = segmented(
      'View',
      [
        { value: 'text', text: 'Text' },
        { value: 'atlas', text: 'Atlas' },
      ],
      this.shown,
      (value) => this.show(value),
    );
    this.parts = { tabs, boxes, text: ofText, atlas: ofAtlas };
    this.tools.replaceChildren(tabs, ...ofText);
  }

  /** @param {string} what `text` or `atlas` */
  show(what) {
    this.shown = what;
    if (this.parts) {
      this.parts.tabs.set(what);
      this.tools.replaceChildren(this.parts.tabs, ...(what === 'text' ? this.parts.text : this.parts.atlas));
    }
    this.draw();
  }

  /** The colors of text and of the stage. @returns {number[][]} */
  colors() {
    const style = getComputedStyle(this.body);
    return [style.color, style.backgroundColor].map((color) => (color.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number));
  }

  async draw() {
    const serial = ++this.serial;
    try {
      if (!this.atlas) this.body.replaceChildren(problemBox(this.problem));
      else if (this.shown === 'text') await this.drawText(serial);
      else this.drawAtlas();
    } catch (error) {
      if (serial === this.serial && !this.context.signal.aborted) this.body.replaceChildren(problemBox(pageError(error)));
    }
  }

  /** @param {number} serial */
  async drawText(serial) {
    const ratio = devicePixelRatio || 1,
      sizes = this.size > 0 ? [this.size] : SIZES,
      maxWidth = Math.max(64, (this.body.clientWidth - 72) * ratio);
    const lines = sizes.map((size) => ({ text: this.text, size: size * ratio, maxWidth, kerning: this.kerning, margin: MARGIN }));
    const pictures = await this.session.run('fontDraw', this.context.file.path, { lines });
    if (serial !== this.serial) return;
    const [color] = this.colors();
    const rows = pictures.map((/** @type {any} */ { width, height, data }, /** @type {number} */ i) => {
      const canvas = el('canvas', { width, height, role: 'img', 'aria-label': `Text of ${sizes[i]} pixels` }),
        texels = new Uint8ClampedArray(4 * width * height);
      for (let p = 0; p < data.length; ++p) {
        texels[4 * p] = color[0];
        texels[4 * p + 1] = color[1];
        texels[4 * p + 2] = color[2];
        texels[4 * p + 3] = data[p];
      }
      canvas.getContext('2d')?.putImageData(new ImageData(texels, width, height), 0, 0);
      Object.assign(canvas.style, { width: `${width / ratio}px`, height: `${height / ratio}px` });
      return el('div', { class: 'text-line' }, el('span', { class: 'soft', text: `${sizes[i]}` }), canvas);
    });
    this.body.replaceChildren(el('div', { class: 'texts' }, rows));
    const missing = [...new Set(this.text)].filter(
      (character) => character >= ' ' && !this.facts?.characters.some(({ codePoint }) => codePoint === character.codePointAt(0)),
    );
    this.bottom.replaceChildren(
      el('span', {
        text: missing.length === 0 ? 'The font has all characters of the text' : `The font does not have: ${missing.slice(0, 40).join(' ')}`,
      }),
    );
  }

  drawAtlas() {
    const { atlas, facts: font, scale } = this;
    if (!atlas || !font) return;
    const { width, height } = atlas,
      ratio = Math.min(2, devicePixelRatio || 1),
      canvas = el('canvas', {
        width: Math.round(width * scale * ratio),
        height: Math.round(height * scale * ratio),
        tabindex: 0,
        role: 'img',
        'aria-label': `Atlas, ${width} × ${height} texels`,
      }),
      context = canvas.getContext('2d');
    if (!context) return;
    Object.assign(canvas.style, { width: `${width * scale}px`, height: `${height * scale}px` });
    const texels = atlas.data.slice();
    for (let i = 0; i < texels.length; i += 4) {
      const [r, g, b] = [texels[i], texels[i + 1], texels[i + 2]],
        median = Math.max(Math.min(r, g), Math.min(Math.max(r, g), b));
      if (this.channels === 'alpha') texels[i] = texels[i + 1] = texels[i + 2] = texels[i + 3];
      // At the scale of the atlas, a texel is a pixel.
      else if (this.channels === 'coverage') texels[i] = texels[i + 1] = texels[i + 2] = 255 * ((median / 255 - 0.5) * font.range + 0.5);
      texels[i + 3] = 255;
    }
    const small = el('canvas', { width, height });
    small.getContext('2d')?.putImageData(new ImageData(texels, width, height), 0, 0);
    context.imageSmoothingEnabled = false;
    context.setTransform(scale * ratio, 0, 0, scale * ratio, 0, 0);
    context.drawImage(small, 0, 0);
    context.lineWidth = 1 / scale;
    if (this.boxes) {
      context.strokeStyle = '#4f8cffb0';
      for (const { x, y, width: w, height: h } of font.glyphs) if (w > 0) context.strokeRect(x, y, w, h);
    }
    const marked = font.glyphs[this.selected];
    if (marked?.width) {
      context.strokeStyle = '#ffb020';
      context.lineWidth = 3 / scale;
      context.strokeRect(marked.x, marked.y, marked.width, marked.height);
    }
    const glyphAt = (/** @type {MouseEvent} */ event) => {
      const [x, y] = [event.offsetX / scale, event.offsetY / scale];
      return font.glyphs.findIndex((glyph) => x >= glyph.x && y >= glyph.y && x < glyph.x + glyph.width && y < glyph.y + glyph.height);
    };
    canvas.addEventListener('mousemove', (event) => this.describe(glyphAt(event)));
    canvas.addEventListener('click', (event) => this.select(glyphAt(event)));
    this.body.replaceChildren(el('div', { class: 'atlas' }, canvas));
    this.describe(this.selected);
  }

  /** @param {number} glyph -1: none */
  describe(glyph) {
    const found = this.facts?.glyphs[glyph];
    if (!found) {
      this.bottom.replaceChildren(el('span', { text: 'Point at a glyph to see its metrics' }));
      return;
    }
    const codePoint = this.characters?.get(glyph);
    this.bottom.replaceChildren(
      el('span', {
        class: 'mono',
        text:
          `glyph ${glyph}${codePoint === undefined ? '' : ` ${characterText(codePoint)} U+${hexText(codePoint)}`}  ` +
          `${found.width} × ${found.height} texels at ${found.x}, ${found.y}  advance ${short(found.advance)} em`,
      }),
    );
  }

  /** Marks a glyph in the atlas. @param {number} glyph */
  select(glyph) {
    this.selected = this.selected === glyph ? -1 : glyph;
    this.show('atlas');
  }

  fill() {
    const { inspector } = this.context,
      font = /** @type {import('./readers.js').FontFacts} */ (this.facts);
    inspector.section(
      'Metrics, in em',
      facts([
        ['Ascender', short(font.ascender)],
        ['Descender', short(font.descender)],
        ['Line height', short(font.lineHeight)],
        ['Underline position', short(font.underlinePosition)],
        ['Underline thickness', short(font.underlineThickness)],
        ['Units per em of the source', count(font.unitsPerEm)],
        ['Missing glyph', String(font.missing)],
      ]),
    );
    const characterOf = (/** @type {number} */ glyph) => {
      const codePoint = this.characters?.get(glyph);
      return codePoint === undefined ? `#${glyph}` : characterText(codePoint);
    };
    inspector.section(
      `Glyphs (${count(font.glyphs.length)})`,
      table(
        ['Glyph', 'Code', 'Advance', 'Left', 'Top', 'Box'],
        font.glyphs.slice(0, MOST_ROWS).map((glyph, i) => {
          const codePoint = this.characters?.get(i);
          return [
            el('button', { type: 'button', class: 'link', text: characterOf(i), title: 'Show it in the atlas', onclick: () => this.select(i) }),
            codePoint === undefined ? '' : hexText(codePoint),
            glyph.advance.toFixed(3),
            glyph.left.toFixed(3),
            glyph.top.toFixed(3),
            glyph.width > 0 ? `${glyph.width}×${glyph.height}` : 'none',
          ];
        }),
        'Glyphs',
      ),
    );
    if (font.kerningPairs > 0)
      inspector.section(
        `Kerning pairs (${count(font.kerningPairs)})`,
        table(
          ['First', 'Second', 'Advance'],
          font.kerning
            .slice(0, MOST_ROWS)
            .map(({ first, second, advance }) => [characterOf(first), characterOf(second), advance.toFixed(4)]),
          'Kerning pairs',
        ),
      );
    this.context.showLinks();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key !== 'b' || this.shown !== 'atlas') return false;
    this.parts?.boxes.set(!this.boxes);
    return true;
  }

  /** @param {string[] | null} paths */
  uses(paths) {
    return paths === null || paths.includes(this.atlasPath ?? '');
  }

  async update() {
    return false;
  }

  destroy() {
    this.events.abort();
    this.observer?.disconnect();
    this.session.close();
  }
}

/** @param {number} codePoint */
const hexText = (codePoint) => codePoint.toString(16).toUpperCase().padStart(4, '0');
