// Why a web server cannot listen, in words for the person at the command line: what, where, what to do.

/** One line about `error`, which listening on `host` and `port` brought. */
export function describeListenError(
  error: NodeJS.ErrnoException,
  { host, port }: { readonly host: string; readonly port: number },
): string {
  switch (error.code) {
    case "EADDRINUSE":
      return `port ${port} on ${host} is in use; choose another with --port, or 0 for any`;
    case "EACCES":
      return `port ${port} needs privileges; choose one above 1023 with --port`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `${host} is not an address of this machine; choose another with --host`;
    default:
      return `cannot listen on ${host}:${port}: ${error.message}`;
  }
}
