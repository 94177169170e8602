// Tests the rows of the device authorization specification, as requests and expected responses of the service.

import { testRows } from "./dialogue.ts";

const NO_SCOPES = [
  "calendar",
  "Video",
  "'EMAIL'",
  "'email,profile'",
  "'<script>'",
  "'~'",
  "'__proto__'",
];
const NO_CODES = ["nonsense", "%00", "pgd.", "\u{1F600}", "x".repeat(10_000)];

testRows`
device doc §1 row the six steps: device doc §3 row granted: then refresh and revocation
  code -> 200
  poll -> 428 authorization_pending
  wait 5
  allow ada -> granted
  poll -> 200
  list -> 200
  refresh -> 200
  revoke token=$access -> 200
  refresh -> 400 invalid_grant
device doc §2.1 row device_code and row user_code: each belongs to its own request and its scopes; case is significant (RFC 8628 §6.1)
  code scope=email -> 200
  code scope=profile -> 200
  allow ada user=bbbb-bbbb -> unknown-code
  allow ada user=$user1 -> granted
  poll device_code=$device2 -> 428 authorization_pending
  poll device_code=$device1 -> 200 scope=email
device doc §2.1 row verification_url and row expires_in and row interval: the page, the lifetime, the polling rate (RFC 8628 §3.2)
  ${{ baseUrl: "https://tv.test", codeLifetime: 90, interval: 7 }}
  code -> 200 verification_url=https://tv.test/device
  code -> 200 expires_in=90 interval=7
  code -> 200 only=device_code,expires_in,interval,user_code,verification_url
device doc §2.2 row access_token and row token_type and row expires_in: the API accepts it until it expires (RFC 6749 §5.1)
  ${{ accessTokenLifetime: 60 }}
  sign-in -> 200 only=access_token,expires_in,refresh_token,scope,token_type
  sign-in -> 200 token_type=Bearer expires_in=60
  list token=$refresh -> 401 authError
  wait 59.999
  list token=$access -> 200
  wait 0.001
  list token=$access -> 401 authError
device doc §2.2 row refresh_token: absent from the refresh response, valid for years, and for fewer scopes if requested (RFC 6749 §6)
  sign-in scope=video.readonly,email -> 200
  wait 315360000
  refresh -> 200 -refresh_token
  list token=$access2 -> 200
  refresh scope=email,profile -> 400 invalid_scope
  refresh scope=email -> 200 scope=email
  list token=$access3 -> 403 insufficientPermissions
  refresh -> 200 scope=video.readonly,email
device doc §2.2 row refresh_token_expires_in: and device doc §8 row Refresh token lifetime: the rest of time-based access, absent otherwise
  sign-in -> 200 -refresh_token_expires_in
  sign-in seconds=4000 -> 200 expires_in=3600 refresh_token_expires_in=4000
  wait 1000.5
  refresh -> 200 expires_in=2999 refresh_token_expires_in=2999
  wait 2999.5
  refresh -> 400 invalid_grant
  refresh refresh_token=$refresh1 -> 200
  sign-in account=guest -> 200 refresh_token_expires_in=3600
  sign-in account=guest seconds=600 -> 200 refresh_token_expires_in=600
  sign-in account=guest seconds=86400 -> 200 refresh_token_expires_in=3600
device doc §2.2 row scope: the granted scopes, separated by spaces, exactly as requested (RFC 6749 §3.3)
  code scope=email,video,profile,email -> 200
  allow ada scopes=email,video -> granted
  poll -> 200 scope=email,video
device doc §2.3 row Quota error: and device doc §7 row Device code request 403 rate_limit_exceeded: error_code alone
  code client=impatient -> 200
  code client=impatient -> 200
  code client=impatient -> 403 rate_limit_exceeded only=error_code
  wait 60
  code client=impatient -> 200
device doc §2.4 row client_id and row client_secret: device doc §5.4 row client type: device doc §7 row Poll 401 invalid_client: unknown clients, and those of another type, are rejected (RFC 6749 §3.2.1)
  code client=web -> 401 invalid_client
  code client=nobody -> 401 invalid_client
  code -> 200
  poll client=nobody -> 401 invalid_client
  poll client=web -> 401 invalid_client
  poll client_secret=tv-secreT -> 401 invalid_client
  poll -> 428 authorization_pending
device doc §3 row device code request and row pending: and device doc §7 row Poll 428 authorization_pending: Precondition Required until the user has decided
  code -> 200
  poll -> 428 authorization_pending error_description='Precondition~Required'
  wait 5
  poll -> 428 authorization_pending
device doc §3 row slow_down: and device doc §7 row Poll 403 slow_down: Forbidden, which by default does not lengthen the interval; device doc §8 row Polling rate: once per interval
  ${{ interval: 10 }}
  code -> 200
  poll -> 428 authorization_pending
  wait 9.999
  poll -> 403 slow_down error_description=Forbidden
  wait 10
  poll -> 428 authorization_pending
device doc §3 row denied: and device doc §7 row Poll 403 access_denied: Forbidden, and the user cannot allow it afterwards
  code -> 200
  deny -> access_denied
  allow ada -> already-decided
  poll -> 403 access_denied error_description=Forbidden
device doc §3 row expired: and device doc §8 row Code lifetime: both codes expire together, for the device and for the user
  ${{ codeLifetime: 60 }}
  code -> 200
  wait 59.999
  poll -> 428 authorization_pending
  wait 0.001
  poll -> 400 expired_token
  allow ada -> expired
device doc §3 row token lifetimes: device doc §4.4 row token and row success: either token, in the query, is 200 and ends both and no other, and so does the user who granted them (RFC 7009 §2, §2.1)
  sign-in -> 200
  sign-in -> 200
  revoke token=$access1 -> 200
  list token=$access1 -> 401 authError
  refresh refresh_token=$refresh1 -> 400 invalid_grant
  list -> 200
  revoke token=$refresh -> 200
  list -> 401 authError
  sign-in -> 200
  end ada living-room-tv -> 1
  refresh -> 400 invalid_grant
  list -> 401 authError
device doc §4.1 row client_id and row scope: device doc §4.2 row client_id and row client_secret and row device_code and row grant_type: device doc §7 row missing parameters or wrong values: each is required and used, and the error names the missing one (RFC 8628 §3.1, §3.4)
  code client_id= -> 400 invalid_request
  code scope= -> 400 invalid_request
  code -> 200
  poll client_id= -> 400 invalid_request error_description='Missing~required~parameter:~client_id'
  poll client_secret= -> 400 invalid_request
  poll device_code= -> 400 invalid_request error_description='Missing~required~parameter:~device_code'
  poll grant_type= -> 400 invalid_request
  poll client_id=wrong -> 401 invalid_client
  poll client_secret=wrong -> 401 invalid_client
  poll device_code=wrong -> 400 invalid_grant
  poll grant_type=refresh_token -> 400 invalid_request
  poll -> 428 authorization_pending
device doc §4.3 row client_id and row client_secret and row refresh_token and row grant_type: device doc §4.3 row response: device doc §5.2 row client_id and client_secret: each is required and used; the response has another access token, its lifetime, its scopes, and Bearer
  sign-in scope=email,video -> 200
  refresh client_secret= -> 400 invalid_request
  refresh client_secret=wrong -> 401 invalid_client
  refresh client_id= -> 400 invalid_request
  refresh refresh_token= -> 400 invalid_request
  refresh grant_type= -> 400 invalid_request
  refresh client_id=wrong -> 401 invalid_client
  refresh refresh_token=wrong -> 400 invalid_grant
  refresh grant_type=password -> 400 unsupported_grant_type
  refresh client=console -> 400 invalid_grant
  refresh -> 200 only=access_token,expires_in,scope,token_type scope=email,video expires_in=3600 token_type=Bearer
  list token=$access1 -> 200
  list token=$access2 -> 200
  sign-in client=printer -> 200
device doc §4.5 row part and mine: the account's own broadcasts; neither may be missing
  sign-in -> 200
  list -> 200 ids=regatta,choir,market
  list mine= -> 400 required
  list part= -> 400 required
  sign-in account=ben -> 200
  list -> 200 ids=bakery
device doc §5.1 row client_id alone: it identifies the client; a secret is neither required nor used
  code client_secret=wrong -> 200
  code client=publisher client_secret= scope=publisher -> 200
  poll client=publisher -> 428 authorization_pending
device doc §5.3 row bearer credential: in the header or in the query, never in both (RFC 6750 §2.3)
  sign-in -> 200
  list token= access_token=$access -> 200
  list token=$access access_token=$access -> 400 badRequest
  list token= -> 401 required
  list token=none -> 401 authError
device doc §5.5 row allowed scopes: exactly seven, compared exactly
  code scope=email,openid,profile,storage.appdata,storage.file,video,video.readonly -> 200
  ${NO_SCOPES.map((scope) => `code scope=${scope} -> 400 invalid_scope`)}
  code scope='https://elsewhere.test/auth/video' -> 400 invalid_scope
  code scope=email,calendar -> 400 invalid_scope
device doc §5.5: {scope_base} is an option
  ${{ scopeBase: "https://scopes.example/" }}
  code scope='https://scopes.example/auth/video' -> 200
  code scope=video -> 400 invalid_scope
device doc §5.6 row the video API's scopes: five are not for devices, two suffice for the API
  code scope=video.channel-memberships.creator -> 400 invalid_scope
  code scope=video.force-ssl -> 400 invalid_scope
  code scope=video.upload -> 400 invalid_scope
  code scope=video.partner -> 400 invalid_scope
  code scope=video.partner-channel-audit -> 400 invalid_scope
  sign-in scope=video -> 200
  list -> 200
  sign-in scope=video.readonly -> 200
  list -> 200
  sign-in scope=email,storage.file -> 200
  list -> 403 insufficientPermissions
device doc §5.7 row NoLinkedVideoAccount: a service account is rejected with it, and its tokens stay valid
  sign-in account=robot -> 200
  list -> 403 NoLinkedVideoAccount
  refresh -> 200
  list -> 403 NoLinkedVideoAccount
device doc §7 row Poll 400 admin_policy_enforced: an organization forbids one of the granted scopes, at the decision or before the poll
  code scope=video,email -> 200
  allow pupil -> admin_policy_enforced
  poll -> 400 admin_policy_enforced
  code scope=video -> 200
  allow ada -> granted
  block ada video
  poll -> 400 admin_policy_enforced
  block ada
  poll -> 400 admin_policy_enforced
device doc §2.3 row Polling error: two members; device doc §7 row Poll 400 invalid_grant: claimed before, unknown, or malformed (RFC 6749 §5.2)
  code -> 200
  allow ada -> granted
  poll -> 200
  poll -> 400 invalid_grant only=error,error_description
  ${NO_CODES.map((code) => `poll device_code=${code} -> 400 invalid_grant`)}
device doc §7 row Poll 400 unsupported_grant_type: any other grant type, from any client
  code -> 200
  allow ada -> granted
  poll grant_type=password -> 400 unsupported_grant_type
  poll grant_type=authorization_code client=nobody -> 400 unsupported_grant_type
  poll grant_type=urn:ietf:params:oauth:grant-type:device-code -> 400 unsupported_grant_type
  poll -> 200
device doc §7 row Poll 403 org_internal: the client is for members of another organization
  code client=kiosk -> 200
  allow ada -> org_internal
  poll client=kiosk -> 403 org_internal
  sign-in client=kiosk account=nora -> 200
device doc §7 row Revoke 400: unknown, dead, another client's, or no token at all (RFC 7009 §2.2.1)
  revoke token=none -> 400 invalid_token
  revoke token= -> 400 invalid_request
  sign-in -> 200
  revoke client=tv client_secret=wrong -> 401 invalid_client
  revoke client=console -> 400 invalid_token
  refresh -> 200
  revoke client=tv token_type_hint=access_token -> 200
  revoke -> 400 invalid_token
device doc §8 row Device code request quota: per client_id; requests of unknown clients do not count
  ${{ deviceCodeQuota: { requests: 1, windowSeconds: 60 } }}
  code client=nobody -> 401 invalid_client
  code -> 200
  code -> 403 rate_limit_exceeded
  code client=console -> 200
  wait 59.999
  code -> 403 rate_limit_exceeded
  wait 0.001
  code -> 200
device doc §8 row Refresh tokens issued: of a client and user, and of a user, the oldest stops working; access tokens stay valid
  ${{ refreshTokensPerClientAndUser: 2, refreshTokensPerUser: 3 }}
  sign-in account=ben -> 200
  sign-in -> 200
  sign-in -> 200
  sign-in -> 200
  refresh refresh_token=$refresh2 -> 400 invalid_grant
  list token=$access2 -> 200
  sign-in client=console -> 200
  refresh refresh_token=$refresh3 -> 200
  sign-in client=console -> 200
  refresh refresh_token=$refresh3 -> 400 invalid_grant
  refresh refresh_token=$refresh4 -> 200
  refresh refresh_token=$refresh1 -> 200
`;
