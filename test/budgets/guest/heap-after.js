// Runs inside the engine, behind the bundle: makes a device, gives `create` back, and prints how many bytes more
// the engine holds than before, and how many more it held at most while the device was made.

collect();
resetPeak();
heapDevice = picogrant.create(heapMemory, guestConfig);
var heapPeak = counter[2];
if (!heapDevice) throw new Error("no device");
picogrant.create = null;
collect();
print("" + (counter[1] - heapBefore));
print("" + (heapPeak - heapBefore));
