/*
 * The control of a count of allocations, for each engine: prints `control-object N` and `control-name N`, what
 * the very same counter sees of an engine that makes an object, and looks up a name that is new to it.
 */
void control(void);
