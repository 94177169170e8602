// What is to happen when, for hundreds of thousands of devices: a binary heap in typed arrays, so that
// an appointment costs no object.

export class EventQueue {
  #times = new Float64Array(1024);
  #what = new Int32Array(1024);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Time of the earliest, Infinity where there is none. */
  get nextMs(): number {
    return this.#size > 0 ? this.#times[0]! : Number.POSITIVE_INFINITY;
  }

  /** @param what any integer of 32 bits */
  push(timeMs: number, what: number): void {
    if (this.#size === this.#times.length) this.#grow();
    let at = this.#size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#times[parent]! <= timeMs) break;
      this.#times[at] = this.#times[parent]!;
      this.#what[at] = this.#what[parent]!;
      at = parent;
    }
    this.#times[at] = timeMs;
    this.#what[at] = what;
  }

  /** Takes the earliest out. Only where there is one. */
  pop(): number {
    const what = this.#what[0]!;
    const last = --this.#size;
    const timeMs = this.#times[last]!;
    const moved = this.#what[last]!;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= last) break;
      if (child + 1 < last && this.#times[child + 1]! < this.#times[child]!) child++;
      if (this.#times[child]! >= timeMs) break;
      this.#times[at] = this.#times[child]!;
      this.#what[at] = this.#what[child]!;
      at = child;
    }
    this.#times[at] = timeMs;
    this.#what[at] = moved;
    return what;
  }

  #grow(): void {
    const times = new Float64Array(this.#times.length * 2);
    const what = new Int32Array(this.#what.length * 2);
    times.set(this.#times);
    what.set(this.#what);
    this.#times = times;
    this.#what = what;
  }
}
