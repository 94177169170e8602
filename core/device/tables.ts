// Names of members and errors, from ../tables. Made by `npm run generate`: do not edit.

export var MEMBERS =
  "Bdevice_code!user_code!verification_uri verification_url!verification_uri_comple" +
  'te!access_token!refresh_token!scope!token_type!error error_code"expires_in!refre' +
  "sh_token_expires_in!interval ";

export var ERRORS =
  "Bauthorization_pending!slow_down!expired_token token_expired code_expired!invali" +
  "d_grant bad_verification_code incorrect_device_code invalid_code_pair bad_refres" +
  "h_token invalid_refresh_token refresh_token_expired bad_token!access_denied auth" +
  "orization_declined!admin_policy_enforced!org_internal!invalid_client incorrect_c" +
  "lient_credentials!unauthorized_client device_flow_disabled!invalid_scope!invalid" +
  "_request!unsupported_grant_type!rate_limit_exceeded!server_error!temporarily_una" +
  "vailable!invalid_token!insufficient_scope!unsupported_token_type)token_revoked$i" +
  "nteraction_required login_required account_selection_required consent_required m" +
  "fa_required interrupted_user ux_not_allowed ";

export var ERROR_KINDS = "  1D1D2S2S3N4O4P5Q5Q5R5R5R1M1M1M3T5R5R1L1M1M5W5V3S3T5W3T4U5V5R3N5R5R";
