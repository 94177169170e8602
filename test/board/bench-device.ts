// An emulated board for the bench (bench.spec.ts), with its settings page and folder. Lines on standard input are keys:
// a calls the API, o signs out, r resets the board. When the process ends, the board loses power.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Board } from "../../targets/workbench/board/emulator.ts";

const [pageFile, folder] = process.argv.slice(2) as [string, string];
const page = readFileSync(pageFile);
const onOutput = (text: string): boolean => process.stderr.write(text);
const board = new Board({ kind: "complete", folder, page, names: ["localhost"], onOutput });
await board.powerOn();
createInterface({ input: process.stdin }).on("line", (line) => board.press(line));
