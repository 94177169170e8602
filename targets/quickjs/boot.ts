// What the loader of images leaves for the program that it starts: the one thing both sides know.

/** The global `picograntBoot`; absent where the program was started by `qjs` itself. */
export interface Boot {
  /** The configuration that the image carries, "" for none. Checked when the image was made. */
  readonly configuration: string;
  /** What the loader passes on from its command line. */
  readonly arguments: readonly string[];
  /**
   * The program has tested itself and is well: its image is the good one from now on.
   * @returns false where that could not be recorded, which the loader has said; try again later
   */
  confirm(): boolean;
}

interface BootGlobals {
  picograntBoot?: Boot;
}

const globals = globalThis as unknown as BootGlobals;

export function bootOf(): Boot | undefined {
  return globals.picograntBoot;
}

export function setBoot(boot: Boot): void {
  globals.picograntBoot = boot;
}
