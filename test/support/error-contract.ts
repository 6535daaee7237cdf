/**
 * Every error code with its type and status, as in the contract. They are written out by hand rather than taken from
 * the code.
 */
export const ERROR_CONTRACT = {
  missing_required_field: ["invalid_request_error", 400],
  invalid_field_value: ["invalid_request_error", 400],
  invalid_address: ["invalid_request_error", 400],
  no_updates_provided: ["invalid_request_error", 400],
  invalid_status_transition: ["invalid_request_error", 400],
  duplicate_resource: ["invalid_request_error", 409],
  key_missing: ["authentication_error", 401],
  key_invalid: ["authentication_error", 401],
  key_expired: ["authentication_error", 401],
  key_revoked: ["authentication_error", 401],
  insufficient_permissions: ["permission_error", 403],
  resource_not_found: ["not_found_error", 404],
  rate_limit_exceeded: ["rate_limit_error", 429],
  idempotency_conflict: ["idempotency_error", 409],
  internal_error: ["api_error", 500],
} as const;

export type ErrorCode = keyof typeof ERROR_CONTRACT;
