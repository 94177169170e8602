// Wraps the functions of the core API, except `create`, inside the engine, to count their allocations in each state
// during the conformance script.

import * as core from "../../../core/complete.ts";
import type { Variant } from "../../bundle/bundled-core.ts";
import { functionsOf } from "../../bundle/surface.ts";

const stateNames = Object.keys(core.State).filter((name) => Number.isNaN(Number(name)));

/** Controls: functions that allocate and are called like those of the core. The measurement must detect them. */
const allocating = {
  controlObject: "{}",
  controlArray: "[device]",
  controlText: '"" + device[Property.STATE] + device[Property.STATE]',
  controlClosure: "function () { return device; }",
  controlFraction: "[device[Property.MOVES] / 7]",
};
const controlNames = Object.keys(allocating);
const controls = `
var control = null;
var controls = {
${Object.entries(allocating)
  .map(([name, made]) => `  ${name}: function (device) { control = ${made}; }`)
  .join(",\n")}
};`;

function parameters(count: number): string {
  return ["device", "a", "b", "c", "d", "e", "f"].slice(0, count).join(", ");
}

function wrapper(name: string, index: number, owner: string, count: number): string {
  return `${name}: function (${parameters(count)}) {
  var state = device[Property.STATE];
  var before = counter[0];
  var result = ${owner}.${name}(${parameters(count)});
  note(${index}, state, counter[0] - before);
  return result;
}`;
}

/** All functions except `create`, which may allocate. */
function measuredNames(variant: Variant): string[] {
  return functionsOf(variant).filter((name) => name !== "create");
}

/** The script between the bundle and the conformance script. */
export function measuringScript(variant: Variant): string {
  const names = measuredNames(variant);
  const functions = core as unknown as Record<string, { length: number }>;
  const wrappers = [
    ...names.map((name, index) => wrapper(name, index, "real", functions[name]!.length)),
    ...controlNames.map((name, index) => wrapper(name, names.length + index, "controls", 1)),
  ];
  return `${controls}
var real = picogrant;
var tallyCalls = [];
var tallyFound = [];
for (var t = 0; t < ${wrappers.length * 8}; t++) {
  tallyCalls.push(0);
  tallyFound.push(0);
}
function note(index, state, found) {
  tallyCalls[index * 8 + state]++;
  tallyFound[index * 8 + state] += found;
}
picogrant = {
create: real.create,
${wrappers.join(",\n")}
};
`;
}

/** The script after the conformance script. It runs the controls and prints the counts. */
export function reportingScript(variant: Variant): string {
  const names = [...measuredNames(variant), ...controlNames];
  const calls = controlNames.map((name) => `picogrant.${name}(devices[0]);`).join("\n");
  return `${calls}
var names = ${JSON.stringify(names)};
for (var k = 0; k < names.length; k++)
  for (var s = 0; s < 8; s++)
    if (tallyCalls[k * 8 + s])
      print("tally " + names[k] + " " + s + " " + tallyCalls[k * 8 + s] + " " + tallyFound[k * 8 + s]);
`;
}

export interface Tally {
  readonly name: string;
  readonly isControl: boolean;
  readonly state: string;
  readonly calls: number;
  readonly found: number;
}

export function readTally(output: string): Tally[] {
  return [...output.matchAll(/^tally (\w+) (\d+) (\d+) (\d+)$/gm)].map((match) => ({
    name: match[1]!,
    isControl: controlNames.includes(match[1]!),
    state: stateNames[Number(match[2])]!,
    calls: Number(match[3]),
    found: Number(match[4]),
  }));
}
