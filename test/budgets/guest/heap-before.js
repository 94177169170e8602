// Runs inside the engine, before the bundle is loaded: what the device is made of is there already, and is not
// counted. `counter` and `collect` are the host's (targets/workbench/engines/*-host.c).

var heapMemory = typeof Uint8Array === "function" ? new Uint8Array(4096) : [];
while (heapMemory.length < 4096) heapMemory.push(0);
var heapDevice = null;
collect();
var heapBefore = counter[1];
