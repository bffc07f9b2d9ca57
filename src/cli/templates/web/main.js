// Draws the scene that assetc compiled into runtime/.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { HsceneLoader, Ktx2Loader } from '@assetc/three';

const renderer = new THREE.WebGLRenderer({ antialias: true });
document.body.append(renderer.domElement);

const scene = new THREE.Scene();
scene.background = new THREE.Color(0x808080);
const sun = new THREE.DirectionalLight(0xffffff, 3);
sun.position.set(1, 2, 3);
scene.add(sun, new THREE.AmbientLight(0xffffff, 1));

const camera = new THREE.PerspectiveCamera(45, 1, 0.1, 100);
camera.position.set(1.5, 1.5, 2.5);
const controls = new OrbitControls(camera, renderer.domElement);
controls.target.set(0, 0.5, 0);

const textures = new Ktx2Loader().detectSupport(renderer);
const loader = new HsceneLoader(undefined, textures).setPath('runtime/');
const crate = await loader.loadAsync('crate/crate.hscene');
scene.add(crate.scene);

function resize() {
  renderer.setSize(innerWidth, innerHeight);
  camera.aspect = innerWidth / innerHeight;
  camera.updateProjectionMatrix();
}
addEventListener('resize', resize);
resize();
renderer.setAnimationLoop(() => {
  controls.update();
  renderer.render(scene, camera);
});
