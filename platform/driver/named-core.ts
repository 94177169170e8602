// The core of a bundle under the names of the sources. In a bundle the device is an array, and `Property` names its
// elements. Hosts written for the sources, such as the driver, read it through this.

import { Property } from "../../core/device/property.ts";

type Places = unknown[];

class NamedDevice {
  declare readonly places: Places;
  constructor(places: Places) {
    // Not enumerable: it is none of the device's properties.
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

/** Supports the largest number of arguments of any core function, without allocating a list. */
function handingOn(call: Call): Call {
  return (device, a, b, c, d, e, f) =>
    call(device instanceof NamedDevice ? device.places : device, a, b, c, d, e, f);
}

/**
 * Wraps the functions of a bundle for devices with named properties. Calls allocate nothing. The device of a core with
 * named properties (the sources, or a build that is not minified) stays as it is.
 * @param bundle what `dist/picogrant.js` or one of the smaller builds defines
 * @returns the same functions; use devices of its `create` with these functions only
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
