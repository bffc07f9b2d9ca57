// Renderer, camera and light of models. It draws only when something changes.
import { Box3, Color, MathUtils, NeutralToneMapping, PerspectiveCamera, PMREMGenerator, Scene, Vector3, WebGLRenderer } from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js';
import { el } from './dom.js';

// The view of `assetc render`: src/render/camera.cpp.
const FIELD_OF_VIEW = 30,
  MARGIN = 1.05,
  YAW = 30,
  PITCH = 15;
const MOST_POINTS = 200_000;

/** A stage that no view uses. @type {Stage | null} */
let free = null;

/** A stage for a view, which calls `release` at its end. A new one takes time: its light and shaders are made first. */
export function takeStage() {
  const stage = free;
  free = null;
  return stage && !stage.renderer.getContext().isContextLost() ? stage : new Stage();
}

/** Whether WebGL draws on the processor. */
function isWithoutGpu() {
  const gl = el('canvas').getContext('webgl'),
    names = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = String(gl?.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER) ?? '');
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

/** Samples of the light for each texel of the environment. */
const LIGHT_SAMPLES = 32,
  THREE_SAMPLES = 256;

/**
 * Makes the environment with fewer samples. Without a GPU, three.js takes seconds for its 256, and the room has only large lights. If
 * another three.js has other names, this does nothing.
 */
class LightGenerator extends PMREMGenerator {
  /** @param {any} target @param {number} lod @param {any} material */
  _renderCube(target, lod, material) {
    const { fragmentShader = '', uniforms } = material,
      define = `#define GGX_SAMPLES ${THREE_SAMPLES}u`;
    if (fragmentShader.includes(define))
      material.fragmentShader = fragmentShader.replace(define, `#define GGX_SAMPLES ${LIGHT_SAMPLES}u`);
    // Each sample covers more of the light.
    if (uniforms?.lodBias && uniforms.roughness?.value > 0) uniforms.lodBias.value += 0.5 * Math.log2(THREE_SAMPLES / LIGHT_SAMPLES);
    /** @type {any} */ (PMREMGenerator.prototype)._renderCube.call(this, target, lod, material);
  }
}

export class Stage {
  constructor() {
    const canvas = el('canvas', { tabindex: 0, role: 'img' });
    this.canvas = canvas;
    /** Frees what the last view has drawn. @type {(() => void) | null} */
    this.retired = null;
    // Without a GPU, smooth edges take as long as the rest of the picture.
    this.renderer = new WebGLRenderer({ canvas, antialias: !isWithoutGpu(), preserveDrawingBuffer: true });
    this.renderer.toneMapping = NeutralToneMapping;
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 100);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', () => this.draw());
    this.center = new Vector3();
    this.radius = 1;
    /** @type {((seconds: number) => boolean) | null} called for each frame; false: nothing moves */
    this.animate = null;
    /** Called before each picture. @type {(() => void) | null} */
    this.beforeDraw = null;
    this.last = 0;
    this.frame = 0;
    const generator = new LightGenerator(this.renderer),
      room = new RoomEnvironment();
    this.environment = generator.fromScene(room, 0, 0.1, 100, { size: 64 }).texture;
    room.dispose();
    generator.dispose();
    this.scene.environment = this.environment;
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(canvas);
    this.onTheme = () => this.setBackground();
    addEventListener('assetc-theme', this.onTheme);
    this.setBackground();
    this.resize();
  }

  /** The compressed formats that the renderer draws. */
  support() {
    const has = (/** @type {string} */ name) => this.renderer.extensions.has(name);
    const support = {
      astc: has('WEBGL_compressed_texture_astc'),
      bptc: has('EXT_texture_compression_bptc'),
      etc2: has('WEBGL_compressed_texture_etc'),
      s3tc: has('WEBGL_compressed_texture_s3tc') && has('WEBGL_compressed_texture_s3tc_srgb'),
      rgtc: has('EXT_texture_compression_rgtc'),
    };
    // Drivers that have everything emulate ASTC and ETC2.
    if (support.astc && support.etc2 && support.bptc && support.s3tc) support.astc = support.etc2 = false;
    return support;
  }

  setBackground() {
    this.scene.background = new Color(getComputedStyle(this.canvas.parentElement ?? this.canvas).backgroundColor);
    this.draw();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio || 1, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    // The angle is that of the shorter side.
    const half = MathUtils.degToRad(FIELD_OF_VIEW / 2);
    this.camera.fov = MathUtils.radToDeg(2 * (this.camera.aspect < 1 ? Math.atan(Math.tan(half) / this.camera.aspect) : half));
    this.camera.updateProjectionMatrix();
    this.drawNow();
  }

  /** Finds the sphere around an object. @param {any} object */
  measure(object) {
    object.updateMatrixWorld(true);
    const box = new Box3(),
      point = new Vector3();
    const each = (/** @type {(point: Vector3) => void} */ work) =>
      object.traverseVisible((/** @type {any} */ one) => {
        const positions = one.geometry?.getAttribute('position');
        if (!positions || one.name === 'wire' || one.userData.helper) return;
        const count = one.geometry.userData.vertexCount ?? positions.count,
          step = Math.max(1, Math.floor(count / MOST_POINTS));
        // The vertices are not here yet.
        if (count === 0 && one.geometry.boundingBox) {
          const { min, max } = one.geometry.boundingBox;
          for (let corner = 0; corner < 8; ++corner)
            work(point.set(corner & 1 ? max.x : min.x, corner & 2 ? max.y : min.y, corner & 4 ? max.z : min.z).applyMatrix4(one.matrixWorld));
        }
        for (let i = 0; i < count; i += step) {
          if (one.isMesh) one.getVertexPosition(i, point);
          else point.fromBufferAttribute(positions, i);
          work(point.applyMatrix4(one.matrixWorld));
        }
      });
    each((at) => box.expandByPoint(at));
    if (box.isEmpty()) box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
    box.getCenter(this.center);
    this.radius = 0;
    each((at) => {
      this.radius = Math.max(this.radius, at.distanceTo(this.center));
    });
    this.radius = Math.max(this.radius, 1e-6);
    return box;
  }

  /** Shows the sphere. @param {boolean} [turn] also turns to the first view */
  fit(turn = true) {
    const distance = (this.radius * MARGIN) / Math.sin(MathUtils.degToRad(FIELD_OF_VIEW / 2));
    const yaw = MathUtils.degToRad(YAW),
      pitch = MathUtils.degToRad(PITCH);
    const back = turn
      ? new Vector3(Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch), Math.cos(yaw) * Math.cos(pitch))
      : this.camera.position.clone().sub(this.controls.target).normalize();
    this.controls.target.copy(this.center);
    this.camera.position.copy(this.center).addScaledVector(back, distance);
    this.camera.near = distance / 1000;
    this.camera.far = distance * 20;
    this.controls.maxDistance = distance * 10;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.draw();
  }

  draw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame((now) => {
      this.frame = 0;
      const moves = this.animate?.(Math.min(0.1, (now - this.last) / 1000)) ?? false;
      this.last = now;
      this.drawNow();
      if (moves) this.draw();
    });
  }

  drawNow() {
    // A picture that was asked for would be the same. Clips ask for the next one when they draw.
    if (this.frame && !this.animate) {
      cancelAnimationFrame(this.frame);
      this.frame = 0;
    }
    this.beforeDraw?.();
    this.renderer.render(this.scene, this.camera);
  }

  /** The canvas was put into the page. */
  attach() {
    this.setBackground();
    this.resize();
  }

  /** Frees what the last view has drawn. Until then, shaders that both views use are not compiled again. */
  retire() {
    this.retired?.();
    this.retired = null;
  }

  /** Ends the use by a view. @param {() => void} dispose frees what it has drawn */
  release(dispose) {
    this.retire();
    this.animate = null;
    this.beforeDraw = null;
    this.renderer.toneMappingExposure = 1;
    this.retired = dispose;
    if (free) this.destroy();
    else free = this;
  }

  destroy() {
    this.retire();
    cancelAnimationFrame(this.frame);
    removeEventListener('assetc-theme', this.onTheme);
    this.observer.disconnect();
    this.controls.dispose();
    this.environment.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }
}
