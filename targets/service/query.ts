// Reading query parameters of the resource APIs: those that have one value are refused when they come
// twice, whatever the values are: which of them counts would be a guess.
import { invalidParameter } from "./errors.ts";

/** The value of a parameter; null where it is absent. Throws an ApiError where it is given twice. */
export function singleValue(query: URLSearchParams, name: string): string | null {
  const [value = null, other] = query.getAll(name);
  if (other !== undefined) throw invalidParameter(name, `${name} is given twice.`);
  return value;
}
