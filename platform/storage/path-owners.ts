// Who can change or read what a path leads to, looked at as sshd looks at its files: whoever can write to the file, or
// to a directory above it, can put another file in its place.

/** What the system says of a file or directory; null where it is not there. */
export type StatusOf = (path: string) => { readonly mode: number; readonly uid: number } | null;

/** Who may read the file: everybody, or its owner alone. */
export type Readers = "all" | "owner";

const STICKY = 0o1000;

/**
 * What is wrong with the owners and modes of a file and of the directories above it, "" for nothing.
 * @param uid of the user that the program runs as; undefined where a system has none
 */
export function pathProblem(
  path: string,
  readers: Readers,
  uid: number | undefined,
  statusOf: StatusOf,
): string {
  const status = statusOf(path);
  if (uid === undefined || status === null) return "";
  if (status.uid !== uid && status.uid !== 0) return "belongs to another user; run chown on it";
  if (readers === "owner" && (status.mode & 0o077) !== 0) {
    return "is open to other users; run chmod 600 on it";
  }
  if ((status.mode & 0o002) !== 0) return "every user can change it; run chmod 640 on it";
  if ((status.mode & 0o020) !== 0) return "its group can change it; run chmod 640 on it";
  const open = directoriesAbove(path).find((directory) => isOpen(statusOf(directory), uid));
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

/** `/a/b/c`: `/a/b`, `/a`, `/`. Of a relative path those that it names, and the one that it starts in. */
function directoriesAbove(path: string): string[] {
  const end = path.lastIndexOf("/");
  if (end < 0) return path === "." ? [] : ["."];
  if (end === 0) return path === "/" ? [] : ["/"];
  const directory = path.slice(0, end);
  return [directory, ...directoriesAbove(directory)];
}
