// The view of a mesh or a scene.
import { Raycaster, Vector2 } from 'three';
import { choice, el, problemBox, segmented, slider, toggle } from './dom.js';
import { count } from './format.js';
import { pageError, run } from './jobs.js';
import { ClusterTools, firstSettings } from './cluster_tools.js';
import { loadModel } from './model_load.js';
import { Overlays } from './model_overlays.js';
import { levelCountOf, showLevels, showMaterials, showMorphs, showNodes, showParts, trianglesOf } from './model_panels.js';
import { takeStage } from './model_stage.js';
import { isAvailable, STYLES, styleMaterial } from './model_style.js';
import { Timeline } from './model_timeline.js';

/** @typedef {import('./app.js').Context} Context */

/** A click that moves farther turns the model. */
const CLICK_PIXELS = 4;
const HELP = 'Drag to turn, wheel to zoom, right button to move';

/** @param {Context} context */
export async function open(context) {
  const view = new ModelView(context);
  try {
    await view.load();
  } catch (error) {
    view.destroy();
    throw error;
  }
  return view;
}

class ModelView {
  /** @param {Context} context */
  constructor(context) {
    this.context = context;
    this.stage = takeStage();
    this.canvas = this.stage.canvas;
    this.canvas.setAttribute('aria-label', `Model ${context.file.path}`);
    this.events = new AbortController();
    this.stageElement = el('div', { class: 'stage lit' }, this.canvas);
    this.tools = el('div', { class: 'tools' });
    this.bottom = el('div', { class: 'status' });
    context.main.replaceChildren(this.tools, this.stageElement, this.bottom);
    this.stage.attach();
    this.overlays = new Overlays(this.stage);
    /** @type {import('./model_load.js').Model | null} */
    this.loaded = null;
    /** @type {import('./model_style.js').Style} */
    this.style = 'material';
    this.level = 0;
    /** @type {import('./model_overlays.js').Shown} */
    this.shown = { wire: false, bounds: false, skeleton: false };
    /** Objects that have another material now, with their own one. @type {{ object: any, own: any }[]} */
    this.replaced = [];
    /** @type {Timeline | null} */
    this.timeline = null;
    /** @type {any} */
    this.buttons = {};
    /** @type {any} */
    this.styleChoice = null;
    /** @type {any} */
    this.levels = null;
    /** @type {HTMLButtonElement[]} */
    this.nodeButtons = [];
    this.showWeights = () => {};
    this.cutSettings = firstSettings();
    /** @type {ClusterTools | null} */
    this.clusters = null;
  }

  get model() {
    return /** @type {import('./model_load.js').Model} */ (this.loaded);
  }

  async load() {
    await this.loadModel();
    this.context.signal.throwIfAborted();
    this.stage.measure(this.model.group);
    this.stage.fit();
    await this.clusters?.view.settle();
    this.context.signal.throwIfAborted();
    if (this.clusters) {
      this.stage.measure(this.model.group);
      this.stage.fit();
    }
    this.makeTools();
    this.fill();
    let from = [0, 0];
    const { signal } = this.events;
    const down = (/** @type {PointerEvent} */ event) => {
      from = [event.clientX, event.clientY];
    };
    const click = (/** @type {MouseEvent} */ event) => {
      if (Math.hypot(event.clientX - from[0], event.clientY - from[1]) < CLICK_PIXELS) this.pick(event);
    };
    this.canvas.addEventListener('pointerdown', down, { signal });
    this.canvas.addEventListener('click', click, { signal });
    this.stage.drawNow();
    this.stage.retire();
  }

  /**
   * Loads the model, and shows it instead of the last one.
   * @param {string[] | null} [changed] the files of the last model that were written again; null: any
   * @returns {Promise<() => void>} frees the last model. Until then, shaders and textures that both use are kept
   */
  async loadModel(changed = null) {
    const last = this.loaded,
      model = await loadModel(this.context, this.stage.support(), last && changed ? { files: last.files, changed } : null);
    if (this.context.signal.aborted) {
      model.dispose();
      this.context.signal.throwIfAborted();
    }
    if (last) {
      this.overlays.clear();
      this.stage.scene.remove(last.group);
    }
    this.loaded = model;
    this.stage.scene.add(model.group);
    this.clusters?.close();
    this.clusters = null;
    if (model.clusters.some(({ instances }) => instances.length > 0)) this.openClusters(model);
    this.stageElement.querySelector('.problem')?.remove();
    if (model.problems.length > 0) this.showProblems(model);
    return () => last?.dispose(model);
  }

  /** @param {import('./model_load.js').Model} model */
  showProblems(model) {
    const [{ place, what, hint }] = model.problems,
      more = model.problems.length > 1 ? ` (and ${model.problems.length - 1} more)` : '';
    const box = problemBox({ severity: 'warning', place, what: what + more, hint });
    Object.assign(box.style, { top: 'auto', bottom: '8px', transform: 'translateX(-50%)' });
    this.stageElement.append(box);
  }

  /** @param {import('./model_load.js').Model} model */
  openClusters(model) {
    this.clusters = new ClusterTools(model, this.stage, {
      settings: this.cutSettings,
      moves: () => (this.timeline?.clip ?? -1) >= 0,
      changed: () => {
        if (this.shown.bounds) this.overlays.update(this.model, this.shown);
      },
      failed: (error) => this.stageElement.append(problemBox(pageError(error))),
    });
  }

  makeTools() {
    const { model } = this,
      geometries = model.drawn.map(({ levels }) => levels[0]),
      levelCount = levelCountOf(model);
    const levelOptions = Array.from({ length: levelCount }, (_, i) => ({
      value: String(i),
      text: String(i),
      title: `${count(trianglesOf(model, i))} triangles`,
    }));
    this.levels = levelCount > 1 ? segmented('Level of detail', levelOptions, '0', (value) => this.setLevel(Number(value))) : null;
    const shows = (
      /** @type {keyof import('./model_overlays.js').Shown} */ what,
      /** @type {string} */ text,
      /** @type {string} */ title,
    ) =>
      toggle(
        text,
        this.shown[what],
        (on) => {
          this.shown[what] = on;
          if (what === 'bounds') this.clusters?.setBoxes(on);
          this.overlays.update(this.model, this.shown);
        },
        title,
      );
    const isSkinned = model.drawn.some(({ object }) => object.isSkinnedMesh);
    this.buttons = {
      wire: shows('wire', 'Wireframe', 'Edges of triangles (w)'),
      bounds: shows('bounds', 'Bounds', 'Boxes of meshes (b)'),
      skeleton: isSkinned ? shows('skeleton', 'Skeleton', 'Bones') : null,
    };
    this.styleChoice = choice(
      'Show',
      STYLES.filter(({ value }) => isAvailable(value, geometries) && (value !== 'meshlets' || this.hasMeshlets)),
      this.style,
      (value) => this.setStyle(/** @type {any} */ (value)),
    );
    const variants = [{ value: '', text: 'Default' }, ...model.variants.map((name) => ({ value: name, text: name }))];
    const light = slider(
      'Light',
      {
        min: -4,
        max: 4,
        step: 0.25,
        value: Math.log2(this.stage.renderer.toneMappingExposure),
        show: (value) => `${value > 0 ? '+' : ''}${value}`,
      },
      (value) => {
        this.stage.renderer.toneMappingExposure = 2 ** value;
        this.stage.draw();
      },
    );
    const tools = [
      this.styleChoice,
      ...(this.clusters?.elements ?? []),
      this.levels && el('span', { class: 'field' }, el('span', { text: 'Level' }), this.levels),
      this.buttons.wire,
      this.buttons.bounds,
      this.buttons.skeleton,
      model.variants.length > 0
        ? choice('Variant', variants, '', (value) => {
            this.restore();
            model.setVariant(value || null);
            this.setStyle(this.style);
          })
        : null,
      light,
      el('span', { class: 'spacer' }),
      el('button', { type: 'button', text: 'Fit', title: 'Show the whole model (f)', onclick: () => this.stage.fit() }),
    ];
    this.tools.replaceChildren(...tools.filter((one) => one !== null));
    this.stage.animate = null;
    this.timeline = model.clips.length > 0 ? new Timeline(model, this.stage, () => this.showWeights()) : null;
    this.triangleText = el('span', { text: `${count(trianglesOf(model, this.level))} triangles` });
    if (this.clusters) this.stageElement.append(this.clusters.text);
    this.bottom.replaceChildren(
      ...(this.timeline?.elements ?? [
        ...(this.clusters ? [] : [this.triangleText, el('span', { class: 'spacer' })]),
        el('span', { text: HELP }),
      ]),
    );
  }

  /** @param {number} level */
  setLevel(level) {
    this.level = level;
    this.levels?.set(String(level));
    for (const { object, levels } of this.model.drawn) if (levels.length > 1) object.geometry = levels[Math.min(level, levels.length - 1)];
    if (this.triangleText) this.triangleText.textContent = `${count(trianglesOf(this.model, level))} triangles`;
    this.overlays.update(this.model, this.shown);
  }

  /** Gives objects their own materials. */
  restore() {
    for (const { object, own } of this.replaced) object.material = own;
    this.replaced = [];
  }

  /** @param {import('./model_style.js').Style} style */
  async setStyle(style) {
    this.style = style;
    this.styleChoice.select.value = style;
    this.restore();
    const material = styleMaterial(style);
    this.overlays.meshlets = null;
    if (style === 'meshlets') {
      await this.loadMeshlets();
      if (this.style !== style) return;
      this.overlays.meshletMaterial = material;
    } else if (material) {
      for (const { object } of this.model.drawn) {
        this.replaced.push({ object, own: object.material });
        object.material = material;
      }
    }
    this.overlays.update(this.model, this.shown);
  }

  async loadMeshlets() {
    const { root, signal } = this.context,
      paths = [...new Set(this.model.drawn.map(({ path }) => path))];
    try {
      const read = async (/** @type {string} */ path) =>
        /** @type {const} */ ([path, await run('meshlets', path, { bytes: await root.read(path, signal) })]);
      this.overlays.meshlets = new Map(await Promise.all(paths.map(read)));
    } catch (error) {
      if (!signal.aborted) this.stageElement.append(problemBox(pageError(error)));
    }
  }

  /** Selects the node under the pointer. @param {MouseEvent} event */
  pick(event) {
    if (!this.model.nodes) return;
    const caster = new Raycaster(),
      box = this.canvas.getBoundingClientRect();
    caster.setFromCamera(
      new Vector2((2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height),
      this.stage.camera,
    );
    /** @type {any} */
    let object = caster.intersectObject(this.model.group, true)[0]?.object ?? null;
    while (object && !this.model.nodes.includes(object)) object = object.parent;
    if (object) this.select(this.model.nodes.indexOf(object));
  }

  /** Selects a node; a second time: none. @param {number} n */
  select(n) {
    const node = this.model.nodes?.[n] ?? null;
    this.overlays.selected = this.overlays.selected === node ? null : node;
    this.nodeButtons.forEach((button, i) => {
      button.setAttribute('aria-selected', String(i === n && this.overlays.selected !== null));
      if (i === n) button.scrollIntoView({ block: 'nearest' });
    });
    this.overlays.update(this.model, this.shown);
  }

  /** Whether the meshes may have meshlets. */
  get hasMeshlets() {
    return this.context.file.kind !== 'asset' && !this.clusters;
  }

  fill() {
    const { inspector, root, open: openPath } = this.context,
      { model } = this;
    showLevels(inspector, model);
    this.clusters?.fill(inspector);
    this.nodeButtons = showNodes(inspector, model, (n) => this.select(n));
    showMaterials(inspector, model, root, openPath);
    this.showWeights = showMorphs(inspector, model, () => this.stage.draw());
    showParts(inspector, model);
    this.context.showLinks();
  }

  /** Whether a path that changed is drawn here. @param {string[] | null} paths */
  uses(paths) {
    return paths === null || paths.some((path) => this.model.used.has(path));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === 'f') this.stage.fit();
    else if (event.key === 'w') this.buttons.wire.set(!this.shown.wire);
    else if (event.key === 'b') this.buttons.bounds.set(!this.shown.bounds);
    else if (event.key === 'm' && (this.hasMeshlets || this.clusters)) {
      const style = this.clusters ? 'clusters' : 'meshlets';
      this.setStyle(this.style === style ? 'material' : style);
    }
    else if (event.key === ' ' && this.timeline) this.timeline.play(!this.timeline.playing);
    else if (/^[1-9]$/.test(event.key) && Number(event.key) <= (this.clusters?.levelCount ?? 0)) this.clusters?.setLevel(Number(event.key) - 1);
    else if (/^[1-9]$/.test(event.key) && Number(event.key) <= levelCountOf(this.model)) this.setLevel(Number(event.key) - 1);
    else return false;
    return true;
  }

  /**
   * A file of the model was written again: the camera, the style, the level and the time stay.
   * @param {string[] | null} [changed] the files that were written; null: any
   */
  async update(changed = null) {
    const { timeline } = this,
      { root, file, inspector } = this.context;
    this.replaced = [];
    this.overlays.selected = null;
    const free = await this.loadModel(changed);
    await this.clusters?.view.settle();
    this.makeTools();
    this.timeline?.follow(timeline);
    this.setLevel(Math.min(this.level, levelCountOf(this.model) - 1));
    await this.setStyle(this.style);
    this.stage.drawNow();
    performance.mark('assetc-drawn');
    free();
    inspector.refresh(root, root.byPath.get(file.path) ?? file);
    this.fill();
    return true;
  }

  destroy() {
    this.events.abort();
    this.overlays.clear();
    this.clusters?.close();
    const { loaded } = this;
    loaded?.files.clusterFiles.close();
    if (loaded) this.stage.scene.remove(loaded.group);
    this.stage.release(() => loaded?.dispose());
  }
}
