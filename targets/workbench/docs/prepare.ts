// Makes of the repository's pages what the generator takes: each in one folder under its name, with links that lead
// to pages of the site. A source file that a page links to becomes a page itself, so that nothing leads out of the site.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { withDrawings } from "./drawings.ts";
import { type Chapter, chapters, type Page, pages, start } from "./pages.ts";
import { withRfcLinks } from "./rfc-links.ts";
import { SOURCES } from "./theme.ts";

/** What the generator is to read. */
export interface Prepared {
  readonly readme: string;
  /** A file for each chapter, whose pages are its children. */
  readonly documents: readonly string[];
}

/** Languages by the ending of a file's name, for its colours. */
const LANGUAGES: Readonly<Record<string, string>> = {
  ".c": "c",
  ".h": "c",
  ".js": "js",
  ".json": "json",
  ".mjs": "js",
  ".scenario": "text",
  ".ts": "ts",
};

const IMAGE = /\.(png|svg)$/;

export class Preparation {
  /** Source files that a page links to, by their path. */
  readonly #sources = new Set<string>();

  readonly #root: string;
  readonly #folder: string;

  constructor(root: string, folder: string) {
    this.#root = root;
    this.#folder = folder;
  }

  /** Writes all pages into the folder, which is emptied first. */
  async run(): Promise<Prepared> {
    rmSync(this.#folder, { recursive: true, force: true });
    mkdirSync(this.#folder, { recursive: true });
    for (const page of pages) await this.#writePage(page);
    for (const file of this.#sources) this.#writeSource(file);
    const documents = chapters.map((chapter) => this.#writeChapter(chapter));
    if (this.#sources.size > 0) documents.push(this.#writeSourceList());
    return { readme: this.#at(start.name), documents };
  }

  #at(name: string): string {
    return path.join(this.#folder, `${name}.md`);
  }

  async #writePage(page: Page): Promise<void> {
    const text = readFileSync(path.join(this.#root, page.file), "utf8");
    const head = page === start ? "" : `---\ntitle: ${page.title}\n---\n\n`;
    // The start has its title from the generator, which puts the version behind it.
    const body = page === start ? text.replace(/^# .*\n+/, "") : text;
    const shown = await withDrawings(asText(body));
    writeFileSync(this.#at(page.name), head + this.#withLinks(page.file, shown));
  }

  #writeChapter(chapter: Chapter): string {
    const name = `chapter-${chapter.title.toLowerCase().replaceAll(/\W+/g, "-")}`;
    const children = chapter.pages.map((page) => `  - ./${page.name}.md\n`).join("");
    const list = chapter.pages.map((page) => `- [${page.title}](./${page.name}.md)\n`).join("");
    const head = `---\ntitle: ${chapter.title}\nchildren:\n${children}---\n\n# ${chapter.title}\n\n`;
    writeFileSync(this.#at(name), head + list);
    return this.#at(name);
  }

  #writeSource(file: string): void {
    const language = LANGUAGES[path.extname(file)] ?? "text";
    const code = readFileSync(path.join(this.#root, file), "utf8");
    // A fence longer than any in the file.
    const fence = "`".repeat(8);
    const text = `---\ntitle: ${file}\n---\n\n# ${file}\n\n${fence}${language}\n${code}\n${fence}\n`;
    writeFileSync(this.#at(sourceName(file)), text);
  }

  #writeSourceList(): string {
    const files = [...this.#sources].sort();
    const children = files.map((file) => `  - ./${sourceName(file)}.md\n`).join("");
    const list = files.map((file) => `- [${file}](./${sourceName(file)}.md)\n`).join("");
    const head = `---\ntitle: ${SOURCES}\nchildren:\n${children}---\n\n# ${SOURCES}\n\n`;
    writeFileSync(
      this.#at("sources"),
      `${head}The source files that these pages link to.\n\n${list}`,
    );
    return this.#at("sources");
  }

  /** The text with its links led to the site; blocks of code are left alone. */
  #withLinks(file: string, text: string): string {
    return text
      .split(/^(```[\s\S]*?^```)/m)
      .map((part, at) => (at % 2 === 1 ? part : withRfcLinks(this.#linked(file, part))))
      .join("");
  }

  #linked(file: string, prose: string): string {
    const link = /(!?)\[((?:[^\]\\]|\\.)*)\]\(([^)\s]+)\)/g;
    return prose.replace(link, (whole, bang: string, label: string, target: string) => {
      if (/^[a-z]+:/.test(target)) return whole;
      const [place = "", anchor] = target.split("#");
      const found = place === "" ? file : path.join(path.dirname(file), place);
      const address = this.#addressOf(found);
      if (address === "") return label;
      return `${bang}[${label}](${address}${anchor === undefined ? "" : `#${anchor}`})`;
    });
  }

  /** Where a file of the repository is in the site; "" for a folder without a page of its own. */
  #addressOf(file: string): string {
    const full = path.join(this.#root, file);
    if (!existsSync(full)) throw new Error(`${file} is linked to and is not there`);
    const target = statSync(full).isDirectory() ? path.join(file, "README.md") : file;
    const page = pages.find((one) => one.file === path.normalize(target));
    if (page !== undefined) return `./${page === start ? "index" : page.name}.md`;
    if (statSync(full).isDirectory()) return "";
    if (IMAGE.test(file)) {
      copyFileSync(full, path.join(this.#folder, sourceName(file)));
      return `./${sourceName(file)}`;
    }
    this.#sources.add(path.normalize(file));
    return `./${sourceName(path.normalize(file))}.md`;
  }
}

/** A path as one name: no file's ending may be taken for the page's. */
function sourceName(file: string): string {
  return IMAGE.test(file) ? file.replaceAll("/", "-") : `source-${file.replaceAll(/[/.]/g, "-")}`;
}

/** A block whose language nobody has named is no program: it is shown as it is. */
function asText(text: string): string {
  const block = /^```(\w*)\n([\s\S]*?)^```$/gm;
  return text.replace(block, (_, language, body) => `\`\`\`${language || "text"}\n${body}\`\`\``);
}
