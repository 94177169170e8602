// The core of a bundle under the names of the sources. In a bundle the device is an array, whose places have names in
// `Property`; a host that is written for the sources, such as the driver, reads it through this.

import { Property } from "../../core/device/property.ts";

/** A device of a bundle. */
type Places = unknown[];

/** Reads the array under names. */
class NamedDevice {
  declare readonly places: Places;
  constructor(places: Places) {
    // None of the device's properties: whoever lists those does not meet it.
    Object.defineProperty(this, "places", { value: places });
  }
}
Object.values(Property).forEach((name, place) => {
  Object.defineProperty(NamedDevice.prototype, name, {
    get(this: NamedDevice) {
      return this.places[place];
    },
  });
});

type Call = (device: unknown, ...further: unknown[]) => unknown;

/** As many as the function of the core with the most has: arguments are handed on without a list being made. */
function handingOn(call: Call): Call {
  return (device, a, b, c, d, e, f) =>
    call(device instanceof NamedDevice ? device.places : device, a, b, c, d, e, f);
}

/**
 * The functions of a bundle, for devices that have names. Calls allocate nothing; the device of a core that has names
 * already (the sources, a build that is not minified) stays as it is.
 * @param bundle what `dist/picogrant.js` or one of the smaller builds defines
 * @returns the same functions; the devices that its `create` returns are for these alone
 */
export function named<Core extends object>(bundle: Core): Core {
  const functions = bundle as unknown as Record<string, Call>;
  const result: Record<string, Call> = {};
  for (const [name, item] of Object.entries(functions)) {
    result[name] = typeof item === "function" ? handingOn(item) : item;
  }
  result.create = (memory, config) => {
    const device = functions.create!(memory, config);
    return Array.isArray(device) ? new NamedDevice(device) : device;
  };
  return result as unknown as Core;
}
