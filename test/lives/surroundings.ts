// What a life is put together from besides the core, the storages that are to be
// right, and the service whose log is judged.

import type { Storage } from "../../platform/contracts.ts";
import { createService, type Service, type ServiceSettings } from "../../targets/service/index.ts";
import type { Roll } from "./dice.ts";
import { FileMedium } from "./file-medium.ts";
import { type Medium, MemoryMedium } from "./media.ts";
import { sealed } from "./sealing.ts";

export interface Surroundings {
  /** Sealed storage around another, as after a power-on. */
  seal(inner: Storage, roll: Roll): Storage;
  service(settings: ServiceSettings): Service;
}

export const SURROUNDINGS: Surroundings = { seal: sealed, service: createService };

const MEDIA = ["memory", "file"] as const;
export type MediumName = (typeof MEDIA)[number];

/** A share of the lives: files take a hundred times as long as arrays. */
const FILE_SHARE = 0.02;

/** What the records of a life lie in. */
export function drawMedium(roll: Roll): MediumName {
  return roll.chance(FILE_SHARE) ? "file" : "memory";
}

export function makeMedium(name: MediumName, roll: Roll): Medium {
  return name === "file" ? new FileMedium(roll) : new MemoryMedium();
}
