// Checks who can change or read a file, as sshd does. Anyone who can write to a directory of its path can replace the file.

/** The status of a file or directory, after following links; null if it does not exist. */
export type StatusOf = (path: string) => { readonly mode: number; readonly uid: number } | null;

export type LinkOf = (path: string) => string;

/** Who may read a file besides its owner. Only its owner and root may change it. */
export type Readers = "all" | "group" | "owner";

/** The kinds of files that a user can name, and who may read each. */
export const READERS = {
  certificates: "all",
  configuration: "all",
  "configuration with a secret": "group",
  "client's secret": "group",
  key: "owner",
} as const satisfies Readonly<Record<string, Readers>>;

const STICKY = 0o1000;
const LINKS_MAX = 40;

/** Returns the fault in owners and modes of a file and its path, "" for none. @param uid undefined on systems without users */
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

/** Whether other users could replace files in a directory. The sticky bit prevents that. */
function isOpen(status: ReturnType<StatusOf>, uid: number): boolean {
  if (status === null) return false;
  const isOthers = status.uid !== uid && status.uid !== 0;
  return isOthers || ((status.mode & 0o022) !== 0 && (status.mode & STICKY) === 0);
}

/**
 * Returns the directories that the lookup of a path visits, from the root. For `/a/b` with a link `/a/b` to `/c/d`, these
 * are `/`, `/a` and `/c`. A relative path starts in the working directory.
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
