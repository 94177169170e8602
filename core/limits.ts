// Every bound of the core in one place, units last in the name, each with its reason.

/** Largest magnitude of any value or intermediate: beyond 2^27 some engines box integers. */
export var INT_MAX = 134217727;
