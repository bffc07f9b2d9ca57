// Draws one texture, or two that are compared, with WebGL 2: channels, exposure, a split, and the difference.

const VERTEX = `#version 300 es
void main() { vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0; gl_Position = vec4(p, 0, 1); }`;

// The ramp of differences is that of \`assetc diff\`: src/texture/compare.cpp.
const FRAGMENT = `#version 300 es
precision highp float;
precision highp sampler2D;
uniform sampler2D a, b;
uniform vec2 viewport, origin, extent, texels;
uniform float exposure, split, gain;
uniform vec4 channels, counted;
uniform vec3 stage;
uniform int mode, grid, checker;
uniform bvec2 hdr, srgb;
out vec4 color;
vec3 encode(vec3 c) { c = clamp(c, 0.0, 1.0); return mix(1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, 12.92 * c, lessThanEqual(c, vec3(0.0031308))); }
vec3 decode(vec3 c) { return mix(pow((c + 0.055) / 1.055, vec3(2.4)), c / 12.92, lessThanEqual(c, vec3(0.04045))); }
vec4 read(sampler2D s, vec2 at) {
  // Shrunk pictures are averaged, so that they do not flicker.
  vec2 footprint = texels / extent;
  int n = int(clamp(ceil(max(footprint.x, footprint.y)), 1.0, 4.0));
  if (n == 1) return textureLod(s, at, 0.0);
  vec4 sum = vec4(0);
  for (int y = 0; y < n; ++y) for (int x = 0; x < n; ++x)
    sum += textureLod(s, at + (vec2(x, y) + 0.5 - float(n) / 2.0) / float(n) / extent, 0.0);
  return sum / float(n * n);
}
vec4 shade(vec4 c, bool isHdr, bool isSrgb, vec2 p) {
  if (isHdr) c.rgb = encode(c.rgb * exp2(exposure));
  else if (exposure != 0.0) c.rgb = isSrgb ? encode(decode(c.rgb) * exp2(exposure)) : clamp(c.rgb * exp2(exposure), 0.0, 1.0);
  float shown = channels.r + channels.g + channels.b;
  if (shown == 0.0) return vec4(vec3(channels.a > 0.0 ? c.a : 0.0), 1);
  vec3 rgb = shown == 1.0 ? vec3(dot(c.rgb, channels.rgb)) : c.rgb * channels.rgb;
  if (channels.a == 0.0) return vec4(rgb, 1);
  vec3 back = checker == 1 ? mix(vec3(0.52), vec3(0.68), mod(floor(p.x / 8.0) + floor(p.y / 8.0), 2.0)) : checker == 2 ? vec3(0) : vec3(1);
  return vec4(mix(back, rgb, clamp(c.a, 0.0, 1.0)), 1);
}
vec3 heat(float d) {
  vec3 ramp[6] = vec3[6](vec3(0), vec3(30, 30, 160), vec3(170, 30, 140), vec3(240, 120, 30), vec3(250, 220, 60), vec3(255));
  float along = min(d * gain, 1.0) * 5.0;
  int i = min(int(along), 4);
  return mix(ramp[i], ramp[i + 1], along - float(i)) / 255.0;
}
void main() {
  vec2 p = vec2(gl_FragCoord.x, viewport.y - gl_FragCoord.y), at = (p - origin) / extent;
  if (any(lessThan(at, vec2(0))) || any(greaterThanEqual(at, vec2(1)))) { color = vec4(stage, 1); return; }
  if (mode == 2) {
    vec4 d = abs(textureLod(a, at, 0.0) - textureLod(b, at, 0.0)) * counted;
    color = vec4(heat(max(max(d.r, d.g), max(d.b, d.a))), 1);
  } else {
    bool second = mode == 1 || (mode == 3 && p.x < split);
    color = second ? shade(read(b, at), hdr.y, srgb.y, p) : shade(read(a, at), hdr.x, srgb.x, p);
  }
  if (grid == 1) {
    vec2 edge = fract(at * texels) * extent / texels;
    if (min(edge.x, edge.y) < 1.0) color.rgb = mix(color.rgb, dot(color.rgb, vec3(0.299, 0.587, 0.114)) > 0.5 ? vec3(0) : vec3(1), 0.22);
  }
}`;

const MODES = { a: 0, b: 1, difference: 2, split: 3 };
const MAX_SCALE = 128;

/** @typedef {{ width: number, height: number, data: Uint8Array, half: boolean, srgb: boolean }} Picture half: data is half floats */

/** How pictures are drawn at first. */
const firstState = () => ({
  channels: [1, 1, 1, 1],
  counted: [1, 1, 1, 1],
  exposure: 0,
  checker: 1,
  mode: /** @type {keyof typeof MODES} */ ('a'),
  split: 0.5,
  gain: 8,
});

export class TextureCanvas {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    const gl = canvas.getContext('webgl2', { alpha: false, antialias: false, preserveDrawingBuffer: true, powerPreference: 'low-power' });
    if (!gl) throw new Error('this browser has no WebGL 2');
    this.gl = gl;
    this.maxSize = gl.getParameter(gl.MAX_TEXTURE_SIZE);
    const program = /** @type {WebGLProgram} */ (gl.createProgram());
    for (const [type, source] of /** @type {const} */ ([
      [gl.VERTEX_SHADER, VERTEX],
      [gl.FRAGMENT_SHADER, FRAGMENT],
    ])) {
      const shader = /** @type {WebGLShader} */ (gl.createShader(type));
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) ?? 'the shader was not linked');
    gl.useProgram(program);
    this.program = program;
    /** @type {(WebGLTexture | null)[]} */
    this.textures = [null, null];
    /** @type {(Picture | null)[]} */
    this.pictures = [null, null];
    /** Texels of level 0: the extent on the screen does not change with the level. */
    this.size = [1, 1];
    /** Device pixels for each texel of level 0. */
    this.scale = 1;
    this.center = [0.5, 0.5];
    this.state = firstState();
    this.pending = false;
    this.fitted = true;
    /** @type {(() => void) | null} called when the picture is drawn */
    this.drawn = null;
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(canvas);
  }

  /** Takes the size of the element. */
  resize() {
    const ratio = devicePixelRatio || 1,
      { canvas } = this;
    if (canvas.clientWidth === 0) return;
    canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    if (this.fitted) this.fit();
    this.drawNow();
  }

  /** Forgets the pictures, so that another view can use the canvas: a new context takes time. */
  reset() {
    this.drawn = null;
    this.setPicture(0, null);
    this.setPicture(1, null);
    this.state = firstState();
    this.fitted = true;
  }

  destroy() {
    this.observer.disconnect();
    for (const texture of this.textures) this.gl.deleteTexture(texture);
    this.gl.getExtension('WEBGL_lose_context')?.loseContext();
  }

  /** @param {0 | 1} slot @param {Picture | null} picture */
  setPicture(slot, picture) {
    const { gl } = this;
    gl.deleteTexture(this.textures[slot]);
    this.textures[slot] = null;
    this.pictures[slot] = picture;
    if (picture) {
      const texture = (this.textures[slot] = gl.createTexture());
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
      const { data, width, height } = picture;
      if (picture.half)
        gl.texImage2D(
          gl.TEXTURE_2D,
          0,
          gl.RGBA16F,
          width,
          height,
          0,
          gl.RGBA,
          gl.HALF_FLOAT,
          new Uint16Array(data.buffer, data.byteOffset, data.length / 2),
        );
      else gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, data);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    }
    this.draw();
  }

  /** Shows the whole picture. */
  fit() {
    this.fitted = true;
    this.center = [0.5, 0.5];
    const fit = Math.min((this.canvas.width - 32) / this.size[0], (this.canvas.height - 32) / this.size[1]);
    this.scale = Math.max(1e-3, fit >= 1 ? Math.min(Math.floor(fit), 16) : fit);
    this.draw();
  }

  /** @param {number} scale @param {number} [x] the place in device pixels that stays @param {number} [y] */
  zoom(scale, x = this.canvas.width / 2, y = this.canvas.height / 2) {
    const next = Math.min(MAX_SCALE, Math.max(Math.min(0.02, this.scale), scale));
    const [ox, oy] = this.origin();
    const u = (x - ox) / this.scale,
      v = (y - oy) / this.scale;
    this.scale = next;
    this.fitted = false;
    this.center = [(u + (this.canvas.width / 2 - x) / next) / this.size[0], (v + (this.canvas.height / 2 - y) / next) / this.size[1]];
    this.draw();
  }

  /** @param {number} dx device pixels @param {number} dy */
  pan(dx, dy) {
    this.fitted = false;
    this.center = [this.center[0] - dx / this.scale / this.size[0], this.center[1] - dy / this.scale / this.size[1]];
    this.center = this.center.map((c) => Math.min(1.2, Math.max(-0.2, c)));
    this.draw();
  }

  /** Where the picture begins, in device pixels. Whole pixels, so that texels are sharp. */
  origin() {
    return [
      Math.round(this.canvas.width / 2 - this.center[0] * this.size[0] * this.scale),
      Math.round(this.canvas.height / 2 - this.center[1] * this.size[1] * this.scale),
    ];
  }

  /**
   * The texel at a place of the element.
   * @param {number} x CSS pixels
   * @param {number} y
   * @returns {{ x: number, y: number, values: (number[] | null)[] } | null}
   */
  texelAt(x, y) {
    const ratio = this.canvas.width / Math.max(1, this.canvas.clientWidth),
      [ox, oy] = this.origin(),
      first = this.pictures[0];
    if (!first) return null;
    const u = (x * ratio - ox) / (this.size[0] * this.scale),
      v = (y * ratio - oy) / (this.size[1] * this.scale);
    if (u < 0 || v < 0 || u >= 1 || v >= 1) return null;
    return {
      x: Math.floor(u * first.width),
      y: Math.floor(v * first.height),
      values: this.pictures.map((picture) => picture && texelOf(picture, Math.floor(u * picture.width), Math.floor(v * picture.height))),
    };
  }

  draw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      if (this.pending) this.drawNow();
    });
  }

  drawNow() {
    this.pending = false;
    this.drawn?.();
    const { gl, canvas, state } = this,
      first = this.pictures[0];
    gl.viewport(0, 0, canvas.width, canvas.height);
    const at = (/** @type {string} */ name) => gl.getUniformLocation(this.program, name);
    const stage = getComputedStyle(canvas.parentElement ?? canvas)
      .backgroundColor.match(/[\d.]+/g)
      ?.map(Number) ?? [30, 30, 30];
    if (!first) {
      gl.clearColor(stage[0] / 255, stage[1] / 255, stage[2] / 255, 1);
      gl.clear(gl.COLOR_BUFFER_BIT);
      return;
    }
    this.textures.forEach((texture, i) => {
      gl.activeTexture(gl.TEXTURE0 + i);
      gl.bindTexture(gl.TEXTURE_2D, texture ?? this.textures[0]);
      const picture = this.pictures[i] ?? first,
        smooth = (this.scale * this.size[0]) / picture.width < 1;
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, smooth ? gl.LINEAR : gl.NEAREST);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, smooth ? gl.LINEAR : gl.NEAREST);
    });
    const [ox, oy] = this.origin(),
      second = this.pictures[1],
      mode = second ? state.mode : 'a';
    gl.uniform1i(at('a'), 0);
    gl.uniform1i(at('b'), 1);
    gl.uniform2f(at('viewport'), canvas.width, canvas.height);
    gl.uniform2f(at('origin'), ox, oy);
    gl.uniform2f(at('extent'), this.size[0] * this.scale, this.size[1] * this.scale);
    gl.uniform2f(at('texels'), first.width, first.height);
    gl.uniform1f(at('exposure'), state.exposure);
    gl.uniform1f(at('split'), state.split * canvas.width);
    gl.uniform1f(at('gain'), state.gain);
    gl.uniform4fv(at('channels'), state.channels);
    gl.uniform4fv(at('counted'), state.counted);
    gl.uniform3f(at('stage'), stage[0] / 255, stage[1] / 255, stage[2] / 255);
    gl.uniform1i(at('mode'), MODES[mode]);
    gl.uniform1i(at('grid'), (this.scale * this.size[0]) / first.width >= 16 ? 1 : 0);
    gl.uniform1i(at('checker'), state.checker);
    gl.uniform2i(at('hdr'), first.half ? 1 : 0, second?.half ? 1 : 0);
    gl.uniform2i(at('srgb'), first.srgb ? 1 : 0, second?.srgb ? 1 : 0);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }
}

/** @param {Picture} picture @param {number} x @param {number} y @returns {number[]} 0 to 255, or floats */
function texelOf({ data, width, half }, x, y) {
  const at = 4 * (y * width + x);
  if (!half) return [...data.subarray(at, at + 4)];
  return [...new Uint16Array(data.buffer, data.byteOffset + 2 * at, 4)].map((h) => {
    const exponent = (h >> 10) & 31,
      fraction = h & 1023;
    const value =
      exponent === 0 ? fraction * 2 ** -24 : exponent === 31 ? (fraction ? NaN : Infinity) : (1 + fraction / 1024) * 2 ** (exponent - 15);
    return h >> 15 ? -value : value;
  });
}
