// A shared library of an engine that takes in the whole runtime.
[[gnu::visibility("default")]] int exports_probe();
int exports_probe() { return 0; }
