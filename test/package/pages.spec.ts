// Runs the programs and commands of the packages' Markdown pages in a folder with the packages. Links must resolve, and
// a page must say so if a command or file exists only in the repository.

import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, inject, it } from "vitest";
import {
  type SimulatedService,
  startSimulatedService,
} from "../../targets/service/simulated-service.ts";
import { MANIFESTS } from "../../targets/workbench/package-contents.ts";
import { type Block, blocksOf, countBlocks } from "../code-blocks.ts";
import { listen } from "../listening.ts";
import { Running } from "../program.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const project = inject("project");

const PAGES = Object.keys(MANIFESTS).flatMap((name) =>
  readdirSync(path.join(project, "node_modules", name), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .sort()
    .map((file) => `${name}/${file}`),
);

const isMissing = process.env.CI !== "true" && !existsSync("/usr/include/stdlib.h");

const read = (page: string): string =>
  readFileSync(path.join(project, "node_modules", page), "utf8");

const isProgram = ({ language, mark }: Block): boolean =>
  language === "ts" && !mark.startsWith("not: ");
const isRun = ({ language, mark }: Block): boolean =>
  /^(?:ts|sh)$/.test(language) && !mark.startsWith("not: ");

/** Pages with blocks for which `isMeant` is true. A page in several packages counts once. */
function pagesWith(isMeant: (block: Block) => boolean): string[] {
  const pages = new Map<string, string>();
  for (const page of PAGES) {
    const blocks = blocksOf(read(page)).filter(isMeant);
    const key = JSON.stringify(blocks);
    if (blocks.length > 0 && !pages.has(key)) pages.set(key, page);
  }
  return [...pages.values()];
}

const files = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n");

const known = new Set(files.flatMap((file) => above(file)));

const sources = new Set(
  files.filter((file) => file.endsWith(".ts")).map((file) => path.basename(file)),
);

function above(file: string): string[] {
  return file === "." ? [] : [file, ...above(path.dirname(file))];
}

const COMMAND = /\bnpm (?:run [\w:]+|start|test|ci)\b/g;
const FILE = /(?<![\w/:@.-])(?:\.{1,2}\/)*[\w-]+(?:[/.][\w-]+)+/g;
const FOR_ALL_OF_IT = /\b(?:belong|exist only|is built|build it|the firmware) (?:to|in) a clone\b/i;
const SAYS_SO = /\bclone\b|\b(?:in|of) the\s+repository\b/i;

/** Files and commands of the repository that a text names and the package does not have. */
function mentions(text: string, isThere: (file: string) => boolean): string[] {
  const commands = [...text.matchAll(COMMAND)].map(([command]) => command);
  const named = [...text.matchAll(FILE)].map(([word]) => word.replace(/^\.\//, ""));
  const foreign = named.filter((word) => {
    if (isThere(word)) return false;
    return (known.has(word) && word.includes("/")) || sources.has(path.basename(word));
  });
  return [...commands, ...foreign];
}

/** The mentions on a page, unless its beginning or the section of the mention names the repository. */
function unexplained(page: string, isThere: (file: string) => boolean): string[] {
  // In a code block, a line that starts with # is a shell comment. Comments of the page are invisible.
  const parts = page
    .replace(/<!--.*?-->/g, "")
    .replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/^#/gm, "  #"))
    .split(/^(?=#{1,4} )/m);
  const beginning = parts.slice(0, 2).join("").replaceAll(/\s+/g, " ");
  if (FOR_ALL_OF_IT.test(beginning)) return [];
  return parts.filter((part) => !SAYS_SO.test(part)).flatMap((part) => mentions(part, isThere));
}

function linkAgent(folder: string): void {
  const agent = path.join(folder, "node_modules/https-proxy-agent");
  mkdirSync(path.dirname(agent), { recursive: true });
  if (!existsSync(agent)) symlinkSync(path.join(root, "node_modules/https-proxy-agent"), agent);
}

function folderFor(page: string): string {
  const folder = path.join(project, "pages", page.replaceAll(/[/.]/g, "-"));
  mkdirSync(folder, { recursive: true });
  symlinkSync(path.join(project, "node_modules"), path.join(folder, "node_modules"));
  linkAgent(path.join(project, "pages"));
  return folder;
}

describe.each(PAGES)("%s", (page) => {
  it("every block is a program, a command, or has a reason why it is not run", () => {
    const blocks = blocksOf(read(page));
    expect(blocks.length).toBe(countBlocks(read(page)));
    const others = blocks.filter(({ language, mark }) => {
      return !/^(?:ts|sh|mermaid)$/.test(language) && !mark.startsWith("not: ");
    });
    expect(others).toEqual([]);
  });

  const [name = ""] = page.split("/");
  const packageFolder = path.join(project, "node_modules", name);
  const pageFolder = path.dirname(path.join(project, "node_modules", page));

  it("every link leads to a file of the package or to the web", () => {
    const text = read(page).replace(/^```.*?^```/gms, "");
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
    const files = targets.filter((target) => !/^(?:https:|#)/.test(target));
    const dead = files.filter((file) => !existsSync(path.join(pageFolder, file.split("#")[0]!)));
    expect(dead).toEqual([]);
  });

  it("every name of the repository is explained", () => {
    const isThere = (word: string): boolean =>
      [packageFolder, pageFolder].some((at) => existsSync(path.join(at, word)));
    expect(unexplained(read(page), isThere)).toEqual([]);
  });
});

it("each package has pages with links and with blocks to run", () => {
  const blocks = PAGES.flatMap((page) => blocksOf(read(page)));
  const notRun = blocks.filter(({ mark }) => mark.startsWith("not: "));
  expect(PAGES.length).toBeGreaterThan(20);
  expect(PAGES.filter((page) => read(page).includes("](")).length).toBeGreaterThan(10);
  expect(blocks.length - notRun.length).toBeGreaterThan(30);
});

it.each(pagesWith(isProgram))("%s: every program in it compiles", (page) => {
  const programs = blocksOf(read(page)).filter(isProgram);
  const folder = path.join(project, page.replaceAll(/[/.]/g, "-"));
  linkAgent(folder);
  const files = programs.map(({ text }, i) => {
    const file = path.join(folder, `block-${i}.mts`);
    writeFileSync(file, text);
    return file;
  });
  const how = ["--strict", "--noEmit", "--target", "es2023", "--lib", "es2023,dom"];
  const args = [...how, "--module", "nodenext", "--types", "node", ...files];
  const tsc = path.join(root, "node_modules/@typescript/native/bin/tsc");
  expect(execFileSync(tsc, args, { cwd: project, encoding: "utf8" })).toBe("");
});

async function freePort(): Promise<number> {
  const { port, close } = await listen(createServer());
  await close();
  return port;
}

/** Starts a block, and waits until it has printed these words. The block continues to run. */
async function startUntil(script: string, words: string, options: object): Promise<ChildProcess> {
  const running = new Running(spawn("bash", ["-ec", script], { ...options, detached: true }));
  await running.until(new RegExp(words.replaceAll(/\W/g, "\\$&")));
  return running.child;
}

function end(child: ChildProcess): void {
  try {
    process.kill(-child.pid!, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}

/** Replaces the server in a program by one on this machine. */
const atHome = (program: string, url: string): string =>
  program
    .replaceAll(/server: "(?:github|https:[^"]*)"/g, `server: "${url}"`)
    .replaceAll(/clientId: "(?:your client's id|cli)"/g, 'clientId: "public-printer"')
    .replaceAll("https://api.github.com/user", `${url}/userinfo`)
    .replaceAll('"repo"', '"email"');

/** Runs a page's commands and programs, which must end by themselves unless their mark says otherwise. */
async function walk(page: string): Promise<number> {
  const folder = folderFor(page);
  const port = await freePort();
  // The variable CHECK_FLAGS replaces the address of the server that checks a C port.
  const checkPort = await freePort();
  const env = {
    ...{ ...process.env, HOME: folder, npm_config_update_notifier: "false" },
    CHECK_FLAGS: `-DCHECK_SERVER='"http://127.0.0.1:${checkPort}/"'`,
  };
  const options = { cwd: folder, env };
  const tokenCache: ChildProcess[] = [];
  let service: SimulatedService | undefined;
  let ran = 0;
  try {
    for (const { language, text, mark } of blocksOf(read(page)).filter(isRun)) {
      // The project has the packages already, from the tarballs that npm would publish.
      const commands = text
        .replaceAll(/^npm install .*\n/gm, "")
        .replaceAll("8080", `${port}`)
        .replaceAll("picogrant service", `picogrant service --port ${port}`)
        .replaceAll("picogrant check-server", `picogrant check-server --port ${checkPort}`);
      ran++;
      if (language === "ts") {
        const file = path.join(folder, `program-${ran}.mts`);
        service ??= await startSimulatedService({ approve: "ada" });
        writeFileSync(file, atHome(text.replaceAll("8080", `${port}`), service.url));
        const tsx = path.join(root, "node_modules/tsx/dist/loader.mjs");
        await promisify(execFile)(process.execPath, ["--import", tsx, file], options);
      } else if (mark === "beside") {
        tokenCache.push(await startUntil(commands, "listening on", options));
      } else if (mark.startsWith("until ")) {
        end(await startUntil(commands, mark.slice("until ".length), options));
      } else if (commands.trim() !== "") {
        await promisify(execFile)("bash", ["-eo", "pipefail", "-c", commands], options);
      }
    }
    return ran;
  } finally {
    for (const child of tokenCache) end(child);
    await service?.close();
  }
}

it.concurrent.each(pagesWith(isRun))(
  "%s: its commands run, in an empty folder with the packages",
  async (page) => {
    if (read(page).includes("\nmake ") && isMissing) return;
    await walk(page);
  },
);
