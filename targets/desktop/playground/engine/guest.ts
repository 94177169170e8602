// The script that runs beside the bundle inside QuickJS: it calls the core as the mail says, counts what malloc
// was asked for meanwhile, and writes the device's numbers into the mail. It allocates nothing of its own.
import { deviceProperties } from "../../../bundle/surface.ts";

/** Places in the mail, an Int32Array that page and guest share. */
export enum Mail {
  /** The patched malloc adds one here at each call. */
  TAKEN = 0,
  FUNCTION = 1,
  RESULT = 2,
  /** Calls of malloc during this call of the core. */
  TAKEN_BY_CALL = 3,
  ARGUMENTS = 4,
  PROPERTIES = 16,
  START = 96,
  LENGTH = 160,
  CAPACITY = 224,
  WORDS = 288,
}

/** Regions that a host may look at (core/SPEC.md), and room for more. */
export const REGIONS = 64;

/** Properties that are numbers; `memory`, `callBody` and the three lists are looked at in their own way. */
const LISTS = ["start", "length", "capacity"];
export const NUMBERS = deviceProperties.filter(
  (name) => name !== "memory" && !LISTS.includes(name),
);

/** How each function is called: `n` are numbers from the mail, `b` bytes that are read during the call alone,
 * `l` bytes that are lent until the exchange ends. */
export const FUNCTIONS: Readonly<Record<string, string>> = {
  tick: "n",
  wakeIn: "",
  responseStart: "nnn",
  responseBody: "nb",
  responseEnd: "n",
  responseFailed: "n",
  storageDone: "n",
  signIn: "",
  cancel: "",
  signOut: "",
  setStatus: "b",
  accessTokenRefused: "",
  ending: "",
  setEndpoints: "n",
  errorKind: "n",
  discover: "l",
  beginCall: "",
  addPath: "b",
  addSegment: "b",
  addQueryValue: "b",
  sendCall: "nnl",
  nextPage: "",
  responseChallenge: "nb",
  createOffer: "bl",
  pollEvents: "",
  eventVerified: "nn",
  applySecurityEvent: "b",
};

/** Each argument of the function, as the guest writes it. A length below 0 says that nothing is lent. */
function argumentsOf(form: string): string {
  const parts = [...form].map((kind, at) => {
    const word = `mail[${Mail.ARGUMENTS + at}]`;
    if (kind === "n") return word;
    return kind === "b"
      ? `bytes, 0, ${word}`
      : `(${word} < 0 ? null : lent), 0, (${word} < 0 ? 0 : ${word})`;
  });
  return ["device", ...parts].join(", ");
}

/** A property of the device: an element, since in the bundle the device is an array. */
function placed(name: string): string {
  return `device[${deviceProperties.indexOf(name)}]`;
}

/** The guest's script; memory, mail, bytes and lent are array buffers that the page has made. */
export function guestScript(): string {
  const cases = Object.entries(FUNCTIONS).map(
    ([name, form], at) => `case ${at}: result = picogrant.${name}(${argumentsOf(form)}); break;`,
  );
  const numbers = NUMBERS.map((name, at) =>
    name === "callBody"
      ? `mail[${Mail.PROPERTIES + at}] = ${placed(name)} === null ? 0 : 1;`
      : `mail[${Mail.PROPERTIES + at}] = ${placed(name)};`,
  );
  return `
var device = null;
var memory = new Uint8Array(memoryBuffer), mail = new Int32Array(mailBuffer);
var bytes = new Uint8Array(bytesBuffer), lent = new Uint8Array(lentBuffer);
function look() {
  ${numbers.join("\n  ")}
  for (var i = 0; i < ${REGIONS}; i++) {
    mail[${Mail.START} + i] = ${placed("start")}[i];
    mail[${Mail.LENGTH} + i] = ${placed("length")}[i];
    mail[${Mail.CAPACITY} + i] = ${placed("capacity")}[i];
  }
}
function begin(config) {
  device = picogrant.create(memory, config);
  if (device !== null) look();
  return device === null ? 0 : 1;
}
function perform() {
  var before = mail[${Mail.TAKEN}], result = 0;
  switch (mail[${Mail.FUNCTION}]) {
    ${cases.join("\n    ")}
  }
  mail[${Mail.TAKEN_BY_CALL}] = mail[${Mail.TAKEN}] - before;
  mail[${Mail.RESULT}] = result;
  look();
}
`;
}
