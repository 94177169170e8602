// Lets hosts that are written for the sources, such as the driver, use a bundle. In the sources, the device has named
// properties. In a bundle, it is an array, with the properties in the order of `Property`.

import { Property } from "../../../core/device/property.ts";

type Places = unknown[];

class NamedDevice {
  declare readonly places: Places;
  constructor(places: Places) {
    // Make `places` not enumerable, because it is not a property of the device.
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

/** Wraps a core function. No function has more than seven arguments; a rest parameter would allocate an array. */
function handingOn(call: Call): Call {
  return (device, a, b, c, d, e, f) =>
    call(device instanceof NamedDevice ? device.places : device, a, b, c, d, e, f);
}

/**
 * Wraps the functions of a bundle, so that devices have named properties. Only `create` allocates. Devices that already
 * have named properties (of the sources, or of a build that is not minified) stay unchanged.
 * @param bundle the exports of `dist/picogrant.js` or of a smaller build
 * @returns the same functions. Pass them only devices that their own `create` returned
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
