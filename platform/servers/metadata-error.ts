// Why a server's metadata are of no use. Apart from asking for them: not every program does.

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
