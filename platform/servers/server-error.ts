// Errors about server names and metadata. Separate from profiles and discovery, which not every program loads.

/** An unknown server name, or an invalid parameter; one line each, with the member. */
export class ServerError extends Error {
  /** The invalid member of the configuration. */
  readonly path: string;
  /** The message without the member. */
  readonly problem: string;

  constructor(path: string, problem: string) {
    super(`${path} ${problem}`);
    this.name = "ServerError";
    this.path = path;
    this.problem = problem;
  }
}

/** No usable metadata document; one line, with the result of each address. */
export class MetadataError extends Error {
  /** No response, or a server error: retrying may help. */
  readonly isTransient: boolean;

  constructor(message: string, isTransient = false) {
    super(message);
    this.name = "MetadataError";
    this.isTransient = isTransient;
  }
}
