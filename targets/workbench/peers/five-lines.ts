// What a program writes with each client for the same: a table of facts from their documentation, as of the versions in
// package.json. Read there, not measured.

export const FIVE_LINES = `## What a program on Node writes

For the same five lines: sign in at a server that describes itself, show the code, call an API with a token that is
refreshed, be signed in after a restart, sign out. From the documentation of openid-client 6 and oauth4webapi 3; "you": the
program does it.

| | picogrant | openid-client | oauth4webapi |
| --- | --- | --- | --- |
| discovery | \`signIn({ server: "https://..." })\` | \`discovery()\` | \`discoveryRequest()\`, \`processDiscoveryResponse()\` |
| servers by name, those with dialects of their own among them | \`server: "github"\` and others | you | you |
| code | \`onCode({ userCode, verificationUri, qr })\` | \`initiateDeviceAuthorization()\` | \`deviceAuthorizationRequest()\`, \`processDeviceAuthorizationResponse()\` |
| QR code | \`qr\` | you | you |
| polling, \`slow_down\` | done | \`pollDeviceAuthorizationGrant()\` | you: a loop over \`deviceCodeGrantRequest()\`, \`processDeviceCodeResponse()\` |
| connection lost, 5xx, \`Retry-After\` while polling | done | you (see below) | you |
| a new code when one has expired | done, three times | you | you |
| call an API | \`session.fetch()\` | \`fetchProtectedResource()\` | \`protectedResourceRequest()\` |
| renewal, in time and after a 401 | done | you: \`refreshTokenGrant()\` | you: \`refreshTokenGrantRequest()\`, \`processRefreshTokenResponse()\` |
| tokens over a restart, one process at a time | \`state: "directory"\`, \`deviceKey\` seals them | you | you |
| sign out | \`session.signOut()\` | \`tokenRevocation()\` | \`revocationRequest()\`, \`processRevocationResponse()\` |
| ID tokens checked | \`session.claims()\` | yes | yes |
| other grants, DPoP, PAR | none | yes | yes |
| runs in browsers and at the edge | the core and driver; \`signIn\` is for Node | yes | yes |

Whoever needs other grants beside this one is better served by those two.
`;
