// The members that the core looks for in answers of the authorization server, and the field that each goes to. To be
// read and changed here; `npm run generate` makes of it what is shipped (device/tables.ts).

import { Field } from "../device/memory.ts";

/** Names that go to the same place. */
export interface NamedPlace {
  readonly place: number;
  readonly names: readonly string[];
}

function place(field: Field, names: string[]): NamedPlace {
  return { place: field, names: names };
}

/** In the order of the fields. The first name is the RFCs'; the others are other servers'. */
export function memberRows(): NamedPlace[] {
  return [
    // RFC 8628 §3.2; the documents' service says verification_url
    place(Field.DEVICE_CODE, ["device_code"]),
    place(Field.USER_CODE, ["user_code"]),
    place(Field.VERIFICATION_URI, ["verification_uri", "verification_url"]),
    place(Field.VERIFICATION_URI_COMPLETE, ["verification_uri_complete"]),
    // RFC 6749 §5.1
    place(Field.ACCESS_TOKEN, ["access_token"]),
    place(Field.RECEIVED_REFRESH_TOKEN, ["refresh_token"]),
    place(Field.SCOPE, ["scope"]),
    place(Field.TOKEN_TYPE, ["token_type"]),
    // RFC 6749 §5.2; the documents' service says error_code for a quota
    place(Field.ERROR, ["error", "error_code"]),
    place(Field.EXPIRES_IN, ["expires_in"]),
    place(Field.REFRESH_TOKEN_EXPIRES_IN, ["refresh_token_expires_in"]),
    place(Field.INTERVAL, ["interval"]),
  ];
}
