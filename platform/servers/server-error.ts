// What is wrong with the name of a server, and why its metadata are of no use. Apart from profiles and from asking: not
// every program loads them.

/** A server's name or one of its words is wrong; one line each, with the member it is about. */
export class ServerError extends Error {
  /** The member of the configuration that is wrong. */
  readonly path: string;
  /** What is wrong with it: the message without the member in front. */
  readonly problem: string;

  constructor(path: string, problem: string) {
    super(`${path} ${problem}`);
    this.name = "ServerError";
    this.path = path;
    this.problem = problem;
  }
}

/** There is no document with which a device could sign in; one line, with what came of each address. */
export class MetadataError extends Error {
  /** Nothing answered, or the server has failed: another try may go better. */
  readonly isTransient: boolean;

  constructor(message: string, isTransient = false) {
    super(message);
    this.name = "MetadataError";
    this.isTransient = isTransient;
  }
}
