// A service that can begin anew with other accounts and clients: for everybody who holds it, it stays the same one,
// and whoever observes it goes on observing. What was issued before is worth nothing, as after a loss of its data.
import type { FixtureInput } from "../../../service/fixture.ts";
import type { Observer } from "../../../service/observers.ts";
import type { ServiceOptionsInput } from "../../../service/options.ts";
import type { Service } from "../../../service/service.ts";

export interface ChangeableService {
  readonly service: Service;
  /** @throws Error of one line for a wrong fixture; then everything is as before */
  beginAnew(fixture: FixtureInput): void;
}

/** @param make a service with such accounts and clients; its options are as before */
export function changeableService(
  first: Service,
  make: (fixture: FixtureInput, options: ServiceOptionsInput) => Service,
): ChangeableService {
  let present = first;
  const ends = new Map<Observer, () => void>();
  const observe = (observer: Observer): (() => void) => {
    ends.set(observer, present.observe(observer));
    return () => {
      ends.get(observer)?.();
      ends.delete(observer);
    };
  };
  const service = new Proxy(first, {
    get(_first, name) {
      if (name === "observe") return observe;
      const member: unknown = Reflect.get(present, name, present);
      return typeof member === "function" ? member.bind(present) : member;
    },
  });
  return {
    service,
    beginAnew(fixture) {
      const next = make(fixture, { ...present.options });
      for (const end of ends.values()) end();
      present = next;
      for (const observer of ends.keys()) ends.set(observer, present.observe(observer));
    },
  };
}
