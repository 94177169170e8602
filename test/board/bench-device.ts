// A board that the bench judges (bench.spec.ts): a device.json becomes its settings page, lines on standard input are its
// keys: a calls the resource, o signs out, r is the reset button. Ended in whatever way, its power is gone.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { makePage } from "../../targets/command/page-format.ts";
import { Board } from "../../targets/workbench/board/emulator.ts";

const config = JSON.parse(readFileSync(process.argv[2]!, "utf8"));
const authorities = [readFileSync(config.http.certificates, "utf8")];
const page = makePage(JSON.stringify(config), { authorities });
const folder = config.storage.directory.replace(/state$/, "");
const onOutput = (text: string): boolean => process.stderr.write(text);
const board = new Board({ kind: "complete", folder, page, names: ["localhost"], onOutput });
await board.powerOn();
createInterface({ input: process.stdin }).on("line", (line) => board.press(line));
