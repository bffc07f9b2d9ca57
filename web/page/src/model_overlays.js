// What is drawn over a model, or instead of it: meshlets, edges, bounds, the skeleton, and the node that is selected.
import { Box3, Box3Helper, BoxHelper, Mesh, SkeletonHelper, SkinnedMesh } from 'three';
import { meshletGeometry, wireOver } from './model_style.js';

const BOUNDS = 0xf0a030,
  SELECTED = 0x4f8cff;

/** @typedef {{ wire: boolean, bounds: boolean, skeleton: boolean }} Shown */

export class Overlays {
  /** @param {import('./model_stage.js').Stage} stage */
  constructor(stage) {
    this.stage = stage;
    /** @type {any[]} */
    this.extras = [];
    /** @type {any} the node that is selected */
    this.selected = null;
    /** @type {Map<string, any> | null} meshlets by path, if they are shown */
    this.meshlets = null;
    /** @type {any} */
    this.meshletMaterial = null;
  }

  clear() {
    for (const extra of this.extras) {
      extra.removeFromParent();
      if (extra.name === 'meshlets') extra.geometry.dispose();
      else if (extra.name === 'wire') extra.material.dispose();
      else if (extra.isLineSegments && !extra.dispose) {
        extra.geometry.dispose();
        extra.material.dispose();
      } else extra.dispose?.();
    }
    this.extras = [];
  }

  /** @param {any} object @param {any} parent */
  add(object, parent) {
    object.userData.helper = true;
    object.raycast = () => {};
    parent.add(object);
    this.extras.push(object);
  }

  /** @param {import('./model_load.js').Model} model @param {Shown} shown */
  update(model, shown) {
    this.clear();
    // Edges have the color of text, which is far from that of the background.
    const color = getComputedStyle(this.stage.canvas).color;
    for (const { object, path, levels, mesh } of model.drawn) {
      for (const one of [object.material].flat()) one.visible = !this.meshlets;
      if (this.meshlets) this.addMeshlets(object, levels[0], this.meshlets.get(path));
      if (shown.wire) this.extras.push(wireOver(object, color));
      if (shown.bounds) {
        const box = object.geometry.boundingBox ?? new Box3().setFromBufferAttribute(object.geometry.getAttribute('position'));
        this.add(new Box3Helper(box, /** @type {any} */ (BOUNDS)), object);
        const boxes = mesh?.clusters?.boxesOf(object);
        if (boxes) this.add(boxes, object);
      }
    }
    if (shown.skeleton) this.add(new SkeletonHelper(model.group), this.stage.scene);
    if (this.selected) this.add(new BoxHelper(this.selected, SELECTED), this.stage.scene);
    this.stage.draw();
  }

  /** @param {any} object @param {any} source @param {any} meshlets */
  addMeshlets(object, source, meshlets) {
    const geometry = meshletGeometry(source, meshlets);
    const made = object.isSkinnedMesh ? new SkinnedMesh(geometry, this.meshletMaterial) : new Mesh(geometry, this.meshletMaterial);
    if (made instanceof SkinnedMesh) {
      made.bind(object.skeleton, object.bindMatrix);
      made.frustumCulled = false;
    }
    made.name = 'meshlets';
    this.add(made, object);
  }
}
