// `picogrant key`: creates the key of a state directory if it has none, and prints the public part.

import { makeOwnDirectory } from "../../platform/node/files.ts";
import { fileSigner } from "../../platform/node/keys.ts";
import { Exit } from "./exit-codes.ts";
import { directoryOf, type Place, withPlace } from "./login/open.ts";
import type { Part } from "./option-parser.ts";

const HELP = `
The private part stays in the file key.json of the directory, which only you can read. Where the client is
registered, give the printed JWK as its key.

Example: picogrant key --account work > public.jwk`;

export const key: Part = {
  line: (line) => withPlace(line).addHelpText("after", HELP),
  act: async (line) => {
    const directory = directoryOf(line.opts<Place>());
    makeOwnDirectory(directory);
    const { publicJwk } = await fileSigner(directory);
    process.stdout.write(`${JSON.stringify(publicJwk)}\n`);
    return Exit.DONE;
  },
};
