// Draws a glTF file with three.js, in a browser.
import * as THREE from 'three';
import { RoomEnvironment } from 'three/examples/jsm/environments/RoomEnvironment.js';
import { MeshoptDecoder } from 'three/examples/jsm/libs/meshopt_decoder.module.js';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { KTX2Loader } from 'three/examples/jsm/loaders/KTX2Loader.js';

let renderer, loader, environment;
function start(canvas) {
  renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
  renderer.setSize(canvas.width, canvas.height, false);
  const filter = new THREE.PMREMGenerator(renderer);
  environment = filter.fromScene(new RoomEnvironment()).texture;
  const textures = new KTX2Loader().setTranscoderPath('/three/examples/jsm/libs/basis/').detectSupport(renderer);
  loader = new GLTFLoader().setKTX2Loader(textures).setMeshoptDecoder(MeshoptDecoder);
}

/**
 * Draws the file to the canvas.
 * @param view { center, radius } of an earlier picture; without it, the model fills the picture
 * @param share of the length of the first clip: where it is drawn
 * @returns the view
 */
export async function draw(canvas, url, view, share) {
  if (!renderer) start(canvas);
  const gltf = await loader.loadAsync(url), scene = new THREE.Scene();
  scene.add(gltf.scene);
  scene.environment = environment;
  scene.environmentIntensity = 0.5;
  scene.background = new THREE.Color(0x808890);
  const light = new THREE.DirectionalLight(0xffffff, 1);
  light.position.set(1, 2, 1.5);
  scene.add(light);
  if (gltf.animations.length > 0) {
    const mixer = new THREE.AnimationMixer(gltf.scene);
    mixer.clipAction(gltf.animations[0]).play();
    mixer.setTime(share * gltf.animations[0].duration);
  }
  scene.updateMatrixWorld(true);
  if (!view) {
    const ball = new THREE.Box3().setFromObject(gltf.scene, true).getBoundingSphere(new THREE.Sphere());
    view = { center: ball.center.toArray(), radius: ball.radius };
  }
  const camera = new THREE.PerspectiveCamera(40, canvas.width / canvas.height, view.radius / 50, view.radius * 10);
  camera.position.set(1, 0.6, 1.4).setLength(view.radius / Math.sin(Math.PI / 9)).add(new THREE.Vector3(...view.center));
  camera.lookAt(...view.center);
  renderer.render(scene, camera);
  scene.traverse((object) => object.geometry?.dispose());
  return view;
}
