// Proofs about the C host with Frama-C's value analysis (Eva). For every input within the stated bounds there is no
// undefined behaviour, and the assertions of the harness in test/host/proof hold. A proof must also find the faults of
// planted-faults.json.

import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { InstallError } from "../engines/install.ts";
import { type PlantedFault, plantedFaults, sourceOf } from "./build.ts";
import { numbersHeader } from "./generate.ts";
import { type Need, tool } from "./toolchain.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const portable = `${root}targets/host/portable`;
const harnesses = `${root}test/host/proof`;
const folder = `${root}dist/prove-c`;

export const proofNeeds: readonly Need[] = [tool("gcc", "gcc"), tool("frama-c", "frama-c-base")];

export interface Proof {
  /** The harness in test/host/proof. */
  readonly name: string;
  readonly functions: readonly string[];
  readonly files: readonly string[];
  readonly bound: string;
  /** The number of paths that are analysed separately, by function. */
  readonly paths: Readonly<Record<string, number>>;
  /** Functions with loops whose paths are joined after each iteration. */
  readonly joined?: readonly string[];
  /** The number of loop iterations that are analysed separately. Default: 64. */
  readonly turns?: number;
  /** Functions for which relations between two variables are analysed too (octagon domain). */
  readonly related?: readonly string[];
}

export const proofs: readonly Proof[] = [
  {
    name: "response",
    functions: ["pg_http_response_start", "pg_http_response_read", "pg_http_response_closed"],
    files: ["http-response"],
    bound: "any number of pieces of 0..8 bytes",
    paths: { take_status_line: 50, pg_retry_after: 50, seconds_of: 200, take_length: 400 },
    joined: ["seconds_of", "take_length"],
    related: ["pg_retry_after"],
  },
  {
    name: "record",
    functions: ["pg_storage_read", "pg_storage_write", "pg_storage_erase"],
    files: ["storage"],
    bound:
      "any number of calls, any result of the medium, slots of 8, 9, 20, 64, 128, 255, 256, 272 bytes, units of one byte, records of 0..24",
    paths: {
      "@default": 50,
      prove_one: 400,
      is_blank_slot: 1000,
      pg_medium_read: 100,
      pg_storage_read: 200,
    },
    turns: 300,
  },
];

interface Outcome {
  /** The number of alarms, and of assertions and preconditions that are not proved. */
  readonly alarms: number;
  readonly seconds: number;
  readonly report: string;
}

function flagsOf({ paths, joined = [], related = [], turns = 64 }: Proof): string[] {
  const { "@default": usual = 0, ...own } = { "@default": 0, prove: 0, ...paths };
  const list = Object.entries(own).map(([name, count]) => `${name}:${count}`);
  return [
    "-c11",
    `-cpp-extra-args=-I${portable} -I${harnesses} -I${folder}`,
    ...["-machdep", "gcc_x86_64", "-warn-invalid-pointer"],
    ...["-eva", "-main", "prove", "-eva-msg-key=-initial-state,-final-states"],
    ...["-eva-auto-loop-unroll", `${turns}`, "-eva-split-return", "full"],
    ...["-eva-slevel", `${usual}`, "-eva-slevel-function", list.join(",")],
    ...(joined.length > 0 ? ["-eva-slevel-merge-after-loop", joined.join(",")] : []),
    ...related.flatMap((name) => ["-eva-domains-function", `octagon:${name}`]),
  ];
}

/** The number of alarms and unproved properties in the report's summary. NaN without a summary: the analyser failed. */
function openIn(report: string): number {
  const alarms = /(\d+) alarms? generated/.exec(report);
  const properties = [...report.matchAll(/\d+ valid +(\d+) unknown +(\d+) invalid/g)];
  if (!alarms || properties.length === 0) return Number.NaN;
  return properties.reduce(
    (sum, [, unknown, invalid]) => sum + Number(unknown) + Number(invalid),
    Number(alarms[1]),
  );
}

/**
 * @param plant a fault to plant before the analysis, which ends when the fault is found
 * @throws InstallError if the analyser fails
 */
function prove(proof: Proof, plant?: PlantedFault): Promise<Outcome> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/picogrant-numbers.h`, numbersHeader());
  const parts = proof.files.map((file) => sourceOf(file, plant, `${folder}/${proof.name}`));
  const files = [`${harnesses}/${proof.name}.c`, ...parts];
  const began = Date.now();
  const analyser = spawn("frama-c", [...flagsOf(proof), ...files], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let report = "";
  let isFound = false;
  const take = (piece: Buffer) => {
    report += piece.toString("utf8");
    isFound ||= plant !== undefined && report.includes(plant.finding);
    if (isFound) analyser.kill();
  };
  analyser.stdout.on("data", take);
  analyser.stderr.on("data", take);
  return new Promise((resolve, reject) => {
    analyser.on("error", reject);
    analyser.on("close", (code) => {
      const seconds = (Date.now() - began) / 1000;
      const alarms = isFound ? 1 : plant ? 0 : openIn(report);
      if (Number.isNaN(alarms)) {
        reject(
          new InstallError(`frama-c ended with ${code} on ${proof.name}: ${report.slice(-500)}`),
        );
      } else {
        resolve({ alarms, seconds, report });
      }
    });
  });
}

function complaints(report: string): string {
  return report.match(/\[eva:alarm\][^[]*/g)?.join("") ?? report;
}

export async function proofRow(proof: Proof): Promise<{ cells: string[]; ok: boolean }> {
  console.error(`prove: ${proof.name} ...`);
  const { alarms, seconds, report } = await prove(proof);
  if (alarms > 0) console.error(complaints(report));
  const cells = [proof.functions.join(", "), proof.bound, `${alarms}`, seconds.toFixed(0)];
  for (const plant of plantedFaults(`prove ${proof.name}`)) {
    const isFound = (await prove(proof, plant)).alarms > 0;
    console.error(
      `prove: ${proof.name}, planted "${plant.finding}": ${isFound ? "found" : "NOT FOUND"}`,
    );
    if (!isFound) return { cells, ok: false };
  }
  return { cells, ok: alarms === 0 };
}
