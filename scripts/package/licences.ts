// The licences of other people's code that is in our bundles: their authors ask that notices go along.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Inputs } from "../../targets/workbench/package/bundle-entries.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** The folders of the packages whose modules are among `inputs`, sorted. */
function packagesIn(inputs: Inputs): string[] {
  const folders = inputs.flatMap((input) => {
    const found = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input);
    return found ? [found[0]] : [];
  });
  return [...new Set(folders)].sort();
}

/** `name@version` of each. */
export function identities(inputs: Inputs): string[] {
  return packagesIn(inputs).map((folder) => {
    const { name, version } = manifestOf(folder);
    return `${name}@${version}`;
  });
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly author?: string | { readonly name: string };
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest;
}

/** The text of THIRD-PARTY-LICENSES.txt. @throws Error for a package whose licence is not known here */
export function notices(inputs: Inputs): string {
  const head =
    "The bundles in this package contain code of these packages, under these licences.\n";
  return [head, ...packagesIn(inputs).map(noticeOf)].join("\n");
}

function noticeOf(folder: string): string {
  const path = join(root, folder);
  const { name, version, license, author } = manifestOf(folder);
  const file = readdirSync(path).find((one) => /^licen[cs]e(\.|$)/i.test(one));
  const text = file === undefined ? undefined : readFileSync(join(path, file), "utf8").trim();
  const holder = typeof author === "object" ? author.name : (author ?? `the authors of ${name}`);
  if (text === undefined && license !== "MIT") {
    throw new Error(`${folder} has no licence file; add its notice to scripts/package/licences.ts`);
  }
  const line = "-".repeat(80);
  return `${line}\n${name} ${version} (${license})\n\n${text ?? `Copyright (c) ${holder}\n\n${MIT}`}\n`;
}
