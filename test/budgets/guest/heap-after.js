// Runs inside the engine, behind the bundle: makes a device, gives `create` back, and prints how many bytes more
// the engine holds than before.

heapDevice = picogrant.create(heapMemory, guestConfig);
if (!heapDevice) throw new Error("no device");
picogrant.create = null;
collect();
print("" + (counter[1] - heapBefore));
