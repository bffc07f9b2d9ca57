export async function open(context) { context.main.textContent = 'later'; return { key: () => false, update: async () => false, destroy() {} }; }
