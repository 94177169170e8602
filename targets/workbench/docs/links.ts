// Every link of the site leads to a file of the site, and its anchor is there.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { Parser } from "htmlparser2";

interface Links {
  readonly ids: Set<string>;
  /** What a page points at: other pages, pictures, scripts, styles. */
  readonly targets: string[];
}

function linksOf(html: string): Links {
  const links: Links = { ids: new Set(), targets: [] };
  const parser = new Parser({
    onopentag(name, { id, href, src, name: anchor }) {
      if (id !== undefined) links.ids.add(id);
      if (name === "a" && anchor !== undefined) links.ids.add(anchor);
      for (const target of [href, src]) if (target !== undefined) links.targets.push(target);
    },
  });
  parser.end(html);
  return links;
}

/** Links of the site in `folder` that lead nowhere, one line each; addresses elsewhere are not asked. */
export function brokenLinks(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const html = files.filter((file) => file.endsWith(".html"));
  const known = new Map(
    html.map((file) => [file, linksOf(readFileSync(path.join(folder, file), "utf8"))]),
  );
  const broken: string[] = [];
  for (const [file, { targets }] of known) {
    for (const target of new Set(targets)) {
      const problem = problemOf(folder, known, file, target);
      if (problem !== "") broken.push(`${file}: ${target} ${problem}`);
    }
  }
  return broken;
}

function problemOf(
  folder: string,
  known: ReadonlyMap<string, Links>,
  file: string,
  target: string,
): string {
  if (/^(https?|mailto|data):/.test(target)) return "";
  const [place = "", anchor = ""] = target.split("#");
  const found = place === "" ? file : path.join(path.dirname(file), decodeURIComponent(place));
  const full = path.join(folder, found);
  if (path.relative(folder, full).startsWith("..")) return "leads out of the site";
  if (!existsSync(full) || !statSync(full).isFile()) return "is not there";
  const ids = known.get(found)?.ids;
  if (anchor === "" || ids === undefined || ids.has(decodeURIComponent(anchor))) return "";
  return "has no such place";
}
