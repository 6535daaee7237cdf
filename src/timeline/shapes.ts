export const DELIVERY_ERRORS = [
  "status",
  "timeout",
  "connection_refused",
  "connection_reset",
  "dns",
  "tls",
  "redirect",
  "invalid_response",
  "blocked_by_network_policy",
  "endpoint_deleted",
] as const;
export type DeliveryError = (typeof DELIVERY_ERRORS)[number];

export const DELIVERY_STATUSES = ["pending", "success", "failed"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const DELIVERY_TRIGGERS = ["automatic", "manual", "test", "resend"] as const;
export type DeliveryTrigger = (typeof DELIVERY_TRIGGERS)[number];
