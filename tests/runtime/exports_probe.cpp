// A shared library of an engine that links the whole runtime statically.
[[gnu::visibility("default")]] int exports_probe();
int exports_probe() { return 0; }
