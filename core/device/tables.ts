// Names of members and errors, from ../tables. Made by `npm run generate`: do not edit.

export var MEMBERS =
  "Bdevice_code!user_code!verification_uri verification_url!verification_uri_comple" +
  'te!access_token!refresh_token!scope!token_type!error error_code"expires_in!refre' +
  "sh_token_expires_in!interval ";

export var ERRORS =
  "Bauthorization_pending!slow_down!expired_token token_expired code_expired!invali" +
  "d_grant bad_verification_code incorrect_device_code invalid_code_pair bad_refres" +
  "h_token!access_denied authorization_declined!admin_policy_enforced!org_internal!" +
  "invalid_client incorrect_client_credentials!unauthorized_client device_flow_disa" +
  "bled!invalid_scope!invalid_request!unsupported_grant_type!rate_limit_exceeded!se" +
  "rver_error!temporarily_unavailable!invalid_token!insufficient_scope!unsupported_" +
  "token_type ";

export var ERROR_KINDS = "  1D1D2S2S3N4O4P5Q5Q5R5R5R1M1M1M3T5R5R1L1M1M5W5V3S3T5W3T4U5V5R";
