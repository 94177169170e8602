// What a life is put together from besides the core, so that a bug can be planted in each part of it: the
// storages that are to be right, and the service whose log is judged.

import type { Storage } from "../../platform/contracts.ts";
import { createService, type Service, type ServiceSettings } from "../../targets/service/index.ts";
import type { Roll } from "./dice.ts";
import { FileMedium } from "./file-medium.ts";
import { FlashMedium, type MakeFlash, makeFlash } from "./flash-medium.ts";
import { type Medium, MemoryMedium } from "./media.ts";
import { sealed } from "./sealing.ts";

export interface Workshop {
  /** Sealed storage around another, as after a power-on. */
  seal(inner: Storage, roll: Roll): Storage;
  flash: MakeFlash;
  service(settings: ServiceSettings): Service;
}

export const WORKSHOP: Workshop = { seal: sealed, flash: makeFlash, service: createService };

export const MEDIA = ["memory", "flash", "file"] as const;
export type MediumName = (typeof MEDIA)[number];

/** Shares of the lives: files take a hundred times as long as arrays. */
const FLASH_SHARE = 0.25;
const FILE_SHARE = 0.02;

/** What the records of a life lie in. */
export function drawMedium(roll: Roll): MediumName {
  const draw = roll.bits() / 2 ** 32;
  if (draw < FILE_SHARE) return "file";
  return draw < FILE_SHARE + FLASH_SHARE ? "flash" : "memory";
}

export function makeMedium(name: MediumName, roll: Roll, workshop: Workshop): Medium {
  if (name === "flash") return new FlashMedium(roll, workshop.flash);
  return name === "file" ? new FileMedium(roll) : new MemoryMedium();
}
