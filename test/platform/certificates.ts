// The certificates that the tests use are those of the command.

export { makeTlsIdentities } from "../../targets/command/certificates.ts";
