// Of what Node's programs use: files, network, options, display.

import type { Explanation } from "./explanation.ts";

export const NODE: readonly Explanation[] = [
  {
    file: "platform/node/qr-code.ts",
    line: "for (let row = -QUIET; row < this.size + QUIET; row += 2) {",
    mutants: ["row < this.size + QUIET => row <= this.size + QUIET"],
    why: "A code has an odd number of rows (ISO/IEC 18004): it is never just that one.",
  },
  {
    file: "platform/node/terminal-display.ts",
    line: "if (this.#rom && code >= 0x20) return romCharacter(this.#rom, code);",
    mutants: ["code >= 0x20 => code > 0x20"],
    why: "A blank is drawn as a blank without a ROM as well.",
  },
  {
    file: "platform/node/entropy.ts",
    line: "if (into instanceof Uint8Array) {",
    mutants: ["into instanceof Uint8Array => false", "{ => {}"],
    why: "What is done for plain arrays does for these, too: this makes no copy.",
  },
  {
    file: "platform/node/entropy.ts",
    line: "const bytes = randomFillSync(new Uint8Array(to - from));",
    mutants: ["to - from => to + from"],
    why: "More are drawn than are used.",
  },
  {
    file: "platform/node/state-owner.ts",
    line: 'const found = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";',
    mutants: ['"" => "Stryker was here!"'],
    why: "Neither names a client.",
  },
  {
    file: "platform/node/file-storage.ts",
    line: 'const POSIX = process.platform !== "win32";',
    mutants: ['"win32" => ""'],
    why: "The tests run on POSIX; on Windows it counts.",
  },
  {
    file: "platform/node/file-storage.ts",
    line: "for (let i = from; i < to; i++) content[MAGIC.length + i - from] = bytes[i]!;",
    mutants: ["i < to => i <= to"],
    why: "A buffer takes nothing beyond its end.",
  },
  {
    file: "platform/node/file-storage.ts",
    line: "} finally {",
    mutants: ["{ => {}"],
    why: "It wipes a copy in memory that nobody reads again.",
  },
  {
    file: "platform/node/file-storage.ts",
    line: "const stat = fs.statSync(this.#fileOf(slot), { bigint: true, throwIfNoEntry: false });",
    mutants: ["true => false"],
    why: "A record is replaced by another file: its times count where the system uses the number of one again at once, which no test can have.",
  },
  {
    file: "platform/node/file-storage.ts",
    line: "const own = process.getuid?.();",
    mutants: ["process.getuid?.() => process.getuid()"],
    why: "Every POSIX system has it: this tells the compiler.",
  },
  {
    file: "platform/node/file-storage.ts",
    line: "if (own !== undefined && stat.uid !== own) {",
    mutants: ["own !== undefined => true"],
    why: "Every POSIX system has it: this tells the compiler.",
  },
  {
    file: "platform/node/file-storage.ts",
    line: "if (length === limit) return buffer;",
    mutants: ["length === limit => false"],
    why: "Without room the next read gives nothing, which ends it as well.",
  },
  {
    file: "platform/node/file-storage.ts",
    line: "if (!POSIX) return;",
    mutants: ["!POSIX => false"],
    why: "The tests run on POSIX; on Windows it counts.",
  },
  {
    file: "platform/node/file-storage.ts",
    line: 'return ["EIO", "ENOSPC", "EDQUOT", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "");',
    mutants: ['"" => "Stryker was here!"'],
    why: "Neither is one of the four.",
  },
  {
    file: "platform/node/kept-metadata.ts",
    line: "} catch {",
    mutants: ["{ => {}"],
    why: "A function that ends without a value gives undefined as well.",
  },
  {
    file: "platform/node/agent-fetch.ts",
    line: "if (isEmpty) answer.resume();",
    mutants: ["isEmpty => true"],
    why: "It flows from the next turn on: whoever reads a body has stopped it until it is asked for, before that.",
  },
  {
    file: "platform/node/http.ts",
    line: 'const { subjectaltname = "" } = certificate;',
    mutants: ['"" => "Stryker was here!"'],
    why: "A name of no kind that Node knows is nobody's, as none is.",
  },
  {
    file: "platform/node/http.ts",
    line: 'const isPlain = (name: string): boolean => !name.includes("*") || /^DNS:\\*\\.[^*]+$/.test(name);',
    mutants: ["/^DNS:\\*\\.[^*]+$/ => /DNS:\\*\\.[^*]+$/"],
    why: "A name that has this further on is of another kind, at which Node does not look for hosts, or has a second asterisk in its first label, which Node refuses.",
  },
  {
    file: "platform/node/http.ts",
    line: 'const names = subjectaltname.includes(\'"\') ? [] : subjectaltname.split(", ").filter(isPlain);',
    mutants: ['[] => ["Stryker was here"]'],
    why: "A name of no kind that Node knows is nobody's, as none is.",
  },
  {
    file: "platform/node/http.ts",
    line: "for (let i = from; i < to; i++) copy[i - from] = bytes[i]!;",
    mutants: ["i < to => i <= to"],
    why: "A buffer takes nothing beyond its end.",
  },
  {
    file: "platform/node/state-lock.ts",
    line: '#own = "";',
    mutants: ['"" => "Stryker was here!"'],
    why: "Whoever takes the lock gives it back first, which sets it; before that, no such file stands where a program runs.",
  },
  {
    file: "platform/node/state-lock.ts",
    line: 'return fields[0] === "Z" || fields[0] === "X" ? "" : fields[19]!;',
    mutants: ['"" => "Stryker was here!"'],
    why: "It is only asked whether it is the start in a lock's name, which is a number; of this process itself this is never so.",
  },
  {
    file: "platform/node/state-lock.ts",
    line: "} catch {",
    mutants: ["{ => {}"],
    why: "What ends without a value gives undefined, which is no start in a lock's name either, and makes that of this process an unknown one.",
  },
  {
    file: "platform/node/shared-directory.ts",
    line: '#known = "";',
    mutants: ['"" => "Stryker was here!"'],
    why: "It counts from begin on, which sets it; no stamp is either of the two.",
  },
  {
    file: "platform/node/shared-directory.ts",
    line: "#wasCurrent = false;",
    mutants: ["false => true"],
    why: "It counts while the lock is held, which sets it.",
  },
  {
    file: "platform/node/state-lock.ts",
    line: "if (mtimeMs === undefined) return false;",
    mutants: ["mtimeMs === undefined => false"],
    why: "A file that is gone has no time, now as before, and its silence is no number: it does not live.",
  },
  {
    file: "platform/node/state-lock.ts",
    line: "const [before, sinceMs] = this.#seen.get(file) ?? [];",
    mutants: ['[] => ["Stryker was here"]'],
    why: "Neither is a time: the file has one that was not seen before.",
  },
];
