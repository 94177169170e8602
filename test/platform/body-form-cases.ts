// Servers by the type of bodies that they take, and what a device does at each of them: the rules of RFC 9110 §15.5.16
// for every host, in JavaScript and in C.

export const FORM = "application/x-www-form-urlencoded";
export const JSON_TYPE = "application/json";

interface BodyFormCase {
  readonly what: string;
  /** What the server takes: it answers everything else with 415. */
  readonly takes: readonly string[];
  /** What the device is told; undefined: nothing. */
  readonly bodies: "form" | "json" | undefined;
  /** Types of the requests of one attempt up to the first answer that is no 415. */
  readonly first: readonly string[];
  /** Type of every request after those; undefined: there is none, a 415 to both is final. */
  readonly afterwards: string | undefined;
}

export const BODY_FORM_CASES: readonly BodyFormCase[] = [
  {
    what: "a server of JSON, found out",
    takes: [JSON_TYPE],
    bodies: undefined,
    first: [FORM, JSON_TYPE],
    afterwards: JSON_TYPE,
  },
  {
    what: "a server of JSON, wrongly said to take forms",
    takes: [JSON_TYPE],
    bodies: "form",
    first: [FORM, JSON_TYPE],
    afterwards: JSON_TYPE,
  },
  {
    what: "a server of JSON, said",
    takes: [JSON_TYPE],
    bodies: "json",
    first: [JSON_TYPE],
    afterwards: JSON_TYPE,
  },
  {
    what: "a server of forms, nothing said",
    takes: [FORM],
    bodies: undefined,
    first: [FORM],
    afterwards: FORM,
  },
  {
    what: "a server of forms, wrongly said to take JSON",
    takes: [FORM],
    bodies: "json",
    first: [JSON_TYPE, FORM],
    afterwards: FORM,
  },
  {
    what: "a server of both, JSON said",
    takes: [FORM, JSON_TYPE],
    bodies: "json",
    first: [JSON_TYPE],
    afterwards: JSON_TYPE,
  },
  {
    what: "a server of neither, nothing said",
    takes: [],
    bodies: undefined,
    first: [FORM, JSON_TYPE],
    afterwards: undefined,
  },
  {
    what: "a server of neither, JSON said",
    takes: [],
    bodies: "json",
    first: [JSON_TYPE, FORM],
    afterwards: undefined,
  },
];
