// Who can change or read what a path leads to, looked at as sshd looks at its files: whoever can write to the file, or
// to a directory on the way to it, can put another file in its place.

/** What the system says of a file or directory, links followed; null where it is not there. */
export type StatusOf = (path: string) => { readonly mode: number; readonly uid: number } | null;

/** Where a link leads; "" where the path is none. */
export type LinkOf = (path: string) => string;

/** Who may read a file beside its owner. Changing is for its owner and root alone. */
export type Readers = "all" | "group" | "owner";

/** Every file that somebody names to a program, and who may read it: Node, the command and QuickJS ask here. */
export const READERS = {
  certificates: "all",
  configuration: "all",
  "configuration with a secret": "group",
  "client's secret": "group",
  key: "owner",
} as const satisfies Readonly<Record<string, Readers>>;

const STICKY = 0o1000;
const LINKS_MAX = 40;

/**
 * What is wrong with the owners and modes of a file and of the directories that lead to it, "" for nothing.
 * @param uid of the user that the program runs as; undefined where a system has none
 */
export function pathProblem(
  path: string,
  readers: Readers,
  uid: number | undefined,
  statusOf: StatusOf,
  linkOf: LinkOf,
): string {
  const status = statusOf(path);
  if (uid === undefined || status === null) return "";
  if (status.uid !== uid && status.uid !== 0) return "belongs to another user; run chown on it";
  if (readers === "owner" && (status.mode & 0o077) !== 0) {
    return "is open to other users; run chmod 600 on it";
  }
  if ((status.mode & 0o002) !== 0) return "every user can change it; run chmod 640 on it";
  if ((status.mode & 0o020) !== 0) return "its group can change it; run chmod 640 on it";
  if (readers === "group" && (status.mode & 0o007) !== 0) {
    return "every user can read the secrets in it; run chmod 640 on it";
  }
  const open = directoriesTo(path, linkOf).find((directory) => isOpen(statusOf(directory), uid));
  return open === undefined
    ? ""
    : `others can change ${open}, which it lies in; run chmod 755 on that`;
}

/** Where others could replace what lies in it. With the sticky bit everybody has only files of their own there. */
function isOpen(status: ReturnType<StatusOf>, uid: number): boolean {
  if (status === null) return false;
  const isOthers = status.uid !== uid && status.uid !== 0;
  return isOthers || ((status.mode & 0o022) !== 0 && (status.mode & STICKY) === 0);
}

/**
 * Each directory in which a name is looked up on the way, the nearest to the root first: of `/a/b` and a link `/a/b` to
 * `/c/d`, these are `/`, `/a`, `/c`. A relative path begins in the directory that the program was started in.
 */
function directoriesTo(path: string, linkOf: LinkOf): string[] {
  const passed: string[] = [];
  const names = path.split("/");
  let links = 0;
  let at = path.startsWith("/") ? "/" : ".";
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    if (name === "" || name === ".") continue;
    passed.push(at);
    const next = at === "/" ? `/${name}` : `${at}/${name}`;
    const target = links < LINKS_MAX ? linkOf(next) : "";
    if (target === "") at = next;
    else {
      links++;
      names.unshift(...target.split("/"));
      if (target.startsWith("/")) at = "/";
    }
  }
  return passed;
}
