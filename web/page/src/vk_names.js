// Names of texel formats as `assetc info` prints them.

/** @type {Record<number, string>} */
const NAMES = {
  9: 'r8',
  15: 'r8',
  16: 'rg8',
  22: 'rg8',
  23: 'rgb8',
  29: 'rgb8',
  37: 'rgba8',
  43: 'rgba8',
  70: 'r16',
  77: 'rg16',
  91: 'rgba16',
  76: 'r16f',
  83: 'rg16f',
  97: 'rgba16f',
  100: 'r32f',
  103: 'rg32f',
  109: 'rgba32f',
  131: 'bc1',
  132: 'bc1',
  133: 'bc1a',
  134: 'bc1a',
  135: 'bc2',
  136: 'bc2',
  137: 'bc3',
  138: 'bc3',
  139: 'bc4',
  140: 'bc4 signed',
  141: 'bc5',
  142: 'bc5 signed',
  143: 'bc6h',
  144: 'bc6h signed',
  145: 'bc7',
  146: 'bc7',
  147: 'etc2-rgb',
  148: 'etc2-rgb',
  151: 'etc2',
  152: 'etc2',
  153: 'eac-r11',
  154: 'eac-r11 signed',
  155: 'eac-rg11',
  156: 'eac-rg11 signed',
};
['4x4', '5x4', '5x5', '6x5', '6x6', '8x5', '8x6', '8x8', '10x5', '10x6', '10x8', '10x10', '12x10', '12x12'].forEach((block, i) => {
  NAMES[157 + 2 * i] = NAMES[158 + 2 * i] = `astc${block}`;
});

/** @param {number} vk VkFormat */
export const vkName = (vk) => NAMES[vk] ?? `VkFormat ${vk}`;
