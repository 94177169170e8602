// The one error of file storage that a person has to act on.

/** The state directory cannot be used. Its message is one line: what, where, what to do. */
export class StateDirectoryError extends Error {
  constructor(message: string) {
    super(message.replace(/\s+/g, " "));
    this.name = "StateDirectoryError";
  }
}
