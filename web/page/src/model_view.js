// The view of a mesh or a scene.
import { AnimationMixer, Box3, Box3Helper, BoxHelper, Mesh, Raycaster, SkeletonHelper, SkinnedMesh, Vector2 } from 'three';
import { choice, el, problemBox, segmented, slider, table, toggle } from './dom.js';
import { count, duration } from './format.js';
import { linkList } from './inspector.js';
import { pageError, run } from './jobs.js';
import { loadModel } from './model_load.js';
import { Stage } from './model_stage.js';
import { isAvailable, meshletGeometry, STYLES, styleMaterial, wireOver } from './model_style.js';

/** @typedef {import('./app.js').Context} Context */

const NONE = 0xffffffff, MOST_NODES = 2000, MOST_TARGETS = 256;

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
    const later = /** @type {any} */ (null);
    /** @type {HTMLCanvasElement} */
    this.canvas = later;
    /** @type {HTMLElement} */
    this.stageElement = later;
    /** @type {HTMLElement} */
    this.tools = later;
    /** @type {HTMLElement} */
    this.bottom = later;
    /** @type {Stage} */
    this.stage = later;
    /** @type {import('./model_load.js').Model} */
    this.model = later;
    /** @type {AnimationMixer} */
    this.mixer = later;
    /** @type {import('three').AnimationAction} */
    this.action = later;
    /** @type {any} */
    this.buttons = {};
    /** @type {any} */
    this.styleChoice = null;
    /** @type {any} */
    this.clipChoice = null;
    /** @type {any} */
    this.levels = null;
    /** @type {HTMLButtonElement | null} */
    this.playButton = null;
    /** @type {HTMLInputElement} */
    this.timeline = later;
    /** @type {HTMLOutputElement} */
    this.time = later;
    /** @type {ReturnType<typeof slider>[] | null} */
    this.morphInputs = null;
    /** @type {any} the first mesh with morph targets */
    this.morphed = null;
    /** @type {any} the node that is selected */
    this.selected = null;
    /** @type {HTMLButtonElement[] | null} */
    this.nodeButtons = null;
    /** @type {Map<string, any> | null} meshlets by path */
    this.meshlets = null;
    /** @type {any} */
    this.meshletMaterial = null;
    /** The clip that poses the model; -1: none. */
    this.clip = -1;
    /** @type {import('./model_style.js').Style} */
    this.style = 'material';
    this.level = 0;
    this.shows = { wire: false, bounds: false, skeleton: false };
    /** @type {any[]} */
    this.extras = [];
    /** @type {any[]} */
    this.hidden = [];
    this.speed = 1;
    this.playing = false;
  }

  async load() {
    const { main, file, signal } = this.context;
    this.canvas = el('canvas', { tabindex: 0, role: 'img', 'aria-label': `Model ${file.path}` });
    this.stageElement = el('div', { class: 'stage' }, this.canvas);
    this.tools = el('div', { class: 'tools' });
    this.bottom = el('div', { class: 'status' });
    const holder = el('div', { hidden: false, style: { display: 'contents' } }, this.tools, this.stageElement, this.bottom);
    main.replaceChildren(holder);
    this.stage = new Stage(this.canvas);
    await this.loadModel();
    signal.throwIfAborted();
    this.stage.measure(this.model.group);
    this.stage.fit();
    this.makeTools();
    this.fill();
    this.canvas.addEventListener('click', (event) => this.pick(event));
    this.stage.resize();
  }

  async loadModel() {
    const model = await loadModel(this.context, this.stage.support());
    if (this.model !== null) {
      this.stage.scene.remove(this.model.group);
      this.model.dispose();
    }
    this.model = model;
    this.stage.scene.add(model.group);
    this.mixer = new AnimationMixer(model.group);
    this.stageElement.querySelector('.problem')?.remove();
    if (model.problems.length > 0) {
      const [{ place, what, hint }] = model.problems, more = model.problems.length > 1 ? ` (and ${model.problems.length - 1} more)` : '';
      const box = problemBox({ severity: 'warning', place, what: what + more, hint });
      Object.assign(box.style, { top: 'auto', bottom: '8px', transform: 'translateX(-50%)' });
      this.stageElement.append(box);
    }
  }

  makeTools() {
    const { model } = this, geometries = model.drawn.map(({ levels }) => levels[0]), levelCount = Math.max(1, ...model.drawn.map(({ levels }) => levels.length));
    const styles = STYLES.filter(({ value }) => isAvailable(value, geometries));
    this.levels = levelCount > 1 ? segmented('Level of detail', Array.from({ length: levelCount }, (_, i) => ({ value: String(i), text: String(i), title: `${count(this.triangles(i))} triangles` })), '0', (value) => this.setLevel(Number(value))) : null;
    this.buttons = {
      wire: toggle('Wireframe', false, (on) => this.show('wire', on), 'Edges of triangles (w)'),
      bounds: toggle('Bounds', false, (on) => this.show('bounds', on), 'Boxes of meshes'),
      skeleton: model.drawn.some(({ object }) => object.isSkinnedMesh) ? toggle('Skeleton', false, (on) => this.show('skeleton', on)) : null,
    };
    this.styleChoice = choice('Show', styles, 'material', (value) => this.setStyle(/** @type {any} */ (value)));
    this.tools.replaceChildren(...[this.styleChoice, this.levels ? el('span', { class: 'field' }, el('span', { text: 'Level' }), this.levels) : null, this.buttons.wire, this.buttons.bounds, this.buttons.skeleton,
      model.variants.length > 0 ? choice('Variant', [{ value: '', text: 'Default' }, ...model.variants.map((name) => ({ value: name, text: name }))], '', (value) => { model.setVariant(value || null); this.setStyle(this.style); }) : null,
      slider('Light', { min: -4, max: 4, step: 0.25, value: 0, show: (value) => `${value > 0 ? '+' : ''}${value}` }, (value) => { this.stage.renderer.toneMappingExposure = 2 ** value; this.stage.draw(); }),
      el('span', { class: 'spacer' }), el('button', { type: 'button', text: 'Fit', title: 'Show the whole model (f)', onclick: () => this.stage.fit() })].filter((one) => one !== null));
    this.bottom.replaceChildren();
    this.playButton = null;
    if (model.clips.length > 0) this.makeTimeline();
    else this.bottom.append(el('span', { text: this.summary() }), el('span', { class: 'spacer' }), el('span', { text: 'Drag to turn, wheel to zoom, right button to move' }));
  }

  /** @param {number} level */
  triangles(level) {
    return this.model.drawn.reduce((sum, { levels }) => sum + (levels[Math.min(level, levels.length - 1)].getIndex()?.count ?? 0) / 3, 0);
  }

  summary() { return `${count(this.triangles(this.level))} triangles`; }

  makeTimeline() {
    const { clips } = this.model;
    this.clip = -1;
    this.playButton = el('button', { type: 'button', text: 'Play', title: 'Play or pause (Space)', onclick: () => this.play(!this.playing) });
    this.time = el('output', { text: '' });
    this.timeline = el('input', { type: 'range', class: 'timeline', min: 0, max: 1000, step: 1, value: 0, 'aria-label': 'Time of the clip', oninput: () => {
      this.play(false);
      if (this.clip < 0) this.setClip(0);
      this.setTime(Number(this.timeline.value) / 1000 * this.action.getClip().duration);
    } });
    this.clipChoice = choice('Clip', [{ value: '-1', text: 'Rest pose' }, ...clips.map((clip, i) => ({ value: String(i), text: clip.name || `clip ${i}` }))], '-1', (value) => this.setClip(Number(value)));
    this.bottom.append(this.playButton, this.clipChoice, this.timeline, this.time,
      choice('Speed', ['0.1', '0.25', '0.5', '1', '2'].map((value) => ({ value, text: `${value}×` })), '1', (value) => { this.speed = Number(value); }));
    this.stage.animate = (seconds) => {
      if (!this.playing) return false;
      this.mixer.update(seconds * this.speed);
      this.showTime();
      return true;
    };
  }

  /** @param {number} i -1: the rest pose */
  setClip(i) {
    this.clip = i;
    this.clipChoice.select.value = String(i);
    this.mixer.stopAllAction();
    this.timeline.value = '0';
    this.time.textContent = '';
    this.stage.draw();
    if (i < 0) {
      this.play(false);
      return;
    }
    this.action = this.mixer.clipAction(this.model.clips[i]);
    this.action.play();
    this.setTime(0);
  }

  /** @param {number} seconds */
  setTime(seconds) {
    this.action.time = seconds;
    this.mixer.update(0);
    this.showTime();
    this.stage.draw();
  }

  showTime() {
    const { duration: length } = this.action.getClip();
    this.timeline.value = String(length > 0 ? 1000 * this.action.time / length : 0);
    this.time.textContent = `${this.action.time.toFixed(2)} / ${duration(length)}`;
    this.morphInputs?.forEach(({ set }, i) => set(this.morphed?.object.morphTargetInfluences[i] ?? 0));
  }

  /** @param {boolean} on */
  play(on) {
    if (!this.playButton) return;
    if (on && this.clip < 0) this.setClip(0);
    this.playing = on;
    this.playButton.textContent = on ? 'Pause' : 'Play';
    this.stage.last = performance.now();
    this.stage.draw();
  }

  /** @param {number} level */
  setLevel(level) {
    this.level = level;
    this.levels?.set(String(level));
    for (const { object, levels } of this.model.drawn) object.geometry = levels[Math.min(level, levels.length - 1)];
    if (!this.playButton && this.bottom.firstChild) this.bottom.firstChild.textContent = this.summary();
    this.decorate();
  }

  /** @param {import('./model_style.js').Style} style */
  async setStyle(style) {
    this.style = style;
    this.styleChoice.select.value = style;
    for (const { object, own } of this.hidden) object.material = own;
    this.hidden = [];
    const material = styleMaterial(style);
    if (material && style !== 'meshlets') for (const { object } of this.model.drawn) this.swap(object, material);
    if (style === 'meshlets') await this.showMeshlets(material);
    else this.decorate();
  }

  /** @param {any} object @param {any} material */
  swap(object, material) {
    this.hidden.push({ object, own: object.material });
    object.material = material;
  }

  /** @param {any} material */
  async showMeshlets(material) {
    try {
      const paths = [...new Set(this.model.drawn.map(({ path }) => path))];
      const found = new Map(await Promise.all(paths.map(async (path) => /** @type {const} */ ([path, await run('meshlets', path, { bytes: await this.context.root.read(path, this.context.signal) })]))));
      if (this.style !== 'meshlets') return;
      this.meshlets = found;
      this.meshletMaterial = material;
      this.decorate();
    } catch (error) {
      if (!this.context.signal.aborted) this.stageElement.append(problemBox(pageError(error)));
    }
  }

  /** Adds what is shown over the model. */
  decorate() {
    for (const extra of this.extras) {
      extra.removeFromParent();
      if (extra.name === 'meshlets') extra.geometry.dispose();
      else extra.dispose?.();
    }
    this.extras = [];
    const helper = (/** @type {any} */ object, /** @type {any} */ parent) => {
      object.userData.helper = true;
      object.raycast = () => {};
      parent.add(object);
      this.extras.push(object);
    };
    const dark = getComputedStyle(document.documentElement).getPropertyValue('color-scheme') !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches;
    for (const { object, path, levels } of this.model.drawn) {
      for (const one of [object.material].flat()) one.visible = true;
      if (this.style === 'meshlets' && this.meshlets) {
        const geometry = meshletGeometry(levels[0], this.meshlets.get(path));
        const made = object.isSkinnedMesh ? new SkinnedMesh(geometry, this.meshletMaterial) : new Mesh(geometry, this.meshletMaterial);
        if (object.isSkinnedMesh) {
          /** @type {SkinnedMesh} */ (made).bind(object.skeleton, object.bindMatrix);
          made.frustumCulled = false;
        }
        made.name = 'meshlets';
        helper(made, object);
        for (const one of [object.material].flat()) one.visible = false;
      }
      if (this.shows.wire) this.extras.push(wireOver(object, dark ? '#ffffff' : '#000000'));
      if (this.shows.bounds) {
        const box = object.geometry.boundingBox ?? new Box3().setFromBufferAttribute(object.geometry.getAttribute('position'));
        helper(new Box3Helper(box, /** @type {any} */ (0xf0a030)), object);
      }
    }
    if (this.shows.skeleton) {
      const skeleton = new SkeletonHelper(this.model.group);
      /** @type {any} */ (skeleton.material).linewidth = 2;
      helper(skeleton, this.stage.scene);
    }
    if (this.selected) helper(new BoxHelper(this.selected, 0x4f8cff), this.stage.scene);
    this.stage.draw();
  }

  /** @param {'wire' | 'bounds' | 'skeleton'} what @param {boolean} on */
  show(what, on) {
    this.shows[what] = on;
    this.decorate();
  }

  /** Selects the node under the pointer, if the pointer did not move. @param {MouseEvent} event */
  pick(event) {
    if (!this.model.nodes) return;
    const caster = new Raycaster(), box = this.canvas.getBoundingClientRect();
    caster.setFromCamera(new Vector2(2 * (event.clientX - box.left) / box.width - 1, 1 - 2 * (event.clientY - box.top) / box.height), this.stage.camera);
    /** @type {any} */
    let object = caster.intersectObject(this.model.group, true)[0]?.object ?? null;
    while (object && !this.model.nodes.includes(object)) object = object.parent;
    if (object) this.select(this.model.nodes.indexOf(object));
  }

  /** @param {number} n */
  select(n) {
    const nodes = this.model.nodes ?? [];
    this.selected = this.selected === nodes[n] ? null : nodes[n];
    this.nodeButtons?.forEach((button, i) => {
      button.setAttribute('aria-selected', String(i === n && this.selected !== null));
      if (i === n) button.scrollIntoView({ block: 'nearest' });
    });
    this.decorate();
  }

  fill() {
    const { inspector, root, open: openPath } = this.context, { model } = this;
    const levelCount = Math.max(0, ...model.drawn.map(({ levels }) => levels.length));
    if (levelCount > 1) {
      inspector.section('Levels of detail', table(['Level', 'Triangles', 'Share'], Array.from({ length: levelCount }, (_, i) => [String(i), count(Math.round(this.triangles(i))), `${(100 * this.triangles(i) / Math.max(1, this.triangles(0))).toFixed(1)} %`]), 'Levels of detail'));
    }
    if (model.parts) this.fillNodes();
    if (model.materials.length > 0) {
      const section = inspector.section(`Materials (${model.materials.length})`);
      for (const material of model.materials) {
        section.append(el('div', { class: 'material' }, material.file ? el('button', { type: 'button', class: 'link', text: material.name, title: `${material.file}, row ${material.row}`, onclick: () => openPath(/** @type {string} */ (material.file)) }) : el('span', { text: `${material.name} (no file)` }),
          linkList(root, material.textures.map(({ name, path }) => ({ path, note: name.replace(/Tex$/, '') })), openPath)));
      }
    }
    this.fillMorphs();
    const [first] = model.drawn;
    if (!model.parts && first?.mesh) {
      const { mesh } = first;
      inspector.section('Submeshes', table(['Submesh', 'Material', 'Triangles'], mesh.submeshes.map((/** @type {any} */ part, /** @type {number} */ i) => [part.name || String(i), part.material === NONE ? 'none' : mesh.materialNames[part.material] || String(part.material), count(part.indexCount / 3)]), 'Submeshes'));
      inspector.section('Attributes', table(['Attribute', 'Components', 'Type'], Object.entries(first.levels[0].attributes).map(([name, attribute]) => [name, attribute.itemSize, /** @type {any} */ (attribute).array.constructor.name.replace('Array', '')]), 'Vertex attributes'));
      if (mesh.skeleton.length > 0) inspector.section('Joints', table(['Joint', 'Parent'], mesh.skeleton.slice(0, MOST_NODES).map((/** @type {any} */ joint, /** @type {number} */ i) => [joint.name || String(i), joint.parent === -1 ? '' : mesh.skeleton[joint.parent].name || joint.parent]), 'Joints'));
    }
    if (model.clips.length > 0) inspector.section('Clips', table(['Clip', 'Length', 'Tracks'], model.clips.map((clip) => [clip.name || '(no name)', duration(clip.duration), clip.tracks.length]), 'Clips'));
    this.context.showLinks();
  }

  fillNodes() {
    const { parts } = this.model, depths = parts.nodes.map(() => 0);
    parts.nodes.forEach((/** @type {any} */ node, /** @type {number} */ n) => { depths[n] = node.parent === -1 ? 0 : depths[node.parent] + 1; });
    const buttons = parts.nodes.slice(0, MOST_NODES).map((/** @type {any} */ node, /** @type {number} */ n) => el('button', {
      type: 'button', role: 'treeitem', 'aria-level': depths[n] + 1, 'aria-selected': 'false', style: { paddingLeft: `${4 + 12 * depths[n]}px` },
      text: `${node.name || `node ${n}`}${node.mesh === NONE || parts.meshes[node.mesh].name === node.name ? '' : ` · ${parts.meshes[node.mesh].name || 'mesh'}`}${node.light === NONE ? '' : ' · light'}${node.camera === NONE ? '' : ' · camera'}`, onclick: () => this.select(n),
    }));
    this.nodeButtons = buttons;
    this.context.inspector.section(`Nodes (${count(parts.nodes.length)})`, el('div', { class: 'nodes', role: 'tree', 'aria-label': 'Nodes' }, buttons));
  }

  fillMorphs() {
    this.morphed = this.model.drawn.find(({ object }) => object.morphTargetInfluences?.length > 0);
    if (!this.morphed) return;
    const { object, mesh } = this.morphed;
    const inputs = mesh.targets.slice(0, MOST_TARGETS).map((/** @type {any} */ target, /** @type {number} */ t) =>
      slider(target.name || `target ${t}`, { min: 0, max: 1, step: 0.01, value: object.morphTargetInfluences[t], show: (value) => value.toFixed(2) }, (value) => {
        for (const other of this.model.drawn) if (other.mesh === mesh) other.object.morphTargetInfluences[t] = value;
        this.stage.draw();
      }));
    this.morphInputs = inputs;
    this.context.inspector.section(`Morph targets (${mesh.targets.length})`, el('div', { class: 'sliders' }, inputs));
  }

  /** Whether a path that changed is drawn here. @param {string[] | null} paths */
  uses(paths) { return paths === null || paths.some((path) => this.model.used.has(path)); }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === 'f') this.stage.fit();
    else if (event.key === 'w') this.buttons.wire.set(!this.shows.wire);
    else if (event.key === 'b') this.buttons.bounds.set(!this.shows.bounds);
    else if (event.key === 'm') this.setStyle(this.style === 'meshlets' ? 'material' : 'meshlets');
    else if (event.key === ' ' && this.playButton) this.play(!this.playing);
    else if (/^[1-9]$/.test(event.key) && this.levels && Number(event.key) <= this.levels.children.length) this.setLevel(Number(event.key) - 1);
    else return false;
    return true;
  }

  /** A file of the model was written again: the camera, the style and the time stay. */
  async update() {
    const { style, level, clip, playing } = this, time = this.action?.time ?? 0;
    this.hidden = [];
    this.selected = null;
    await this.loadModel();
    this.makeTools();
    this.context.inspector.element.querySelectorAll('.section').forEach((/** @type {Element} */ section) => { if (section.querySelector('h3')?.textContent !== 'Problems') section.remove(); });
    this.context.inspector.facts(this.context.root, this.context.root.byPath.get(this.context.file.path) ?? this.context.file);
    this.fill();
    if (this.playButton && clip >= 0 && this.model.clips[clip]) {
      this.setClip(clip);
      this.setTime(time);
      this.play(playing);
    }
    for (const name of /** @type {const} */ (['wire', 'bounds', 'skeleton'])) this.buttons[name]?.setAttribute('aria-pressed', String(this.shows[name]));
    if (level > 0 && this.levels) this.setLevel(level);
    await this.setStyle(style);
    this.stage.drawNow();
    return true;
  }

  destroy() {
    this.model?.dispose();
    this.stage?.destroy();
  }
}

