// What is wrong with the name of a server. Apart from the profiles: not every program loads them.

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
