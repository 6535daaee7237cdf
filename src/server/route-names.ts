/**
 * Which calls to real hosts a sandbox responds to: only those to its senders' APIs, or also those to services and mail
 * servers.
 */
export const ROUTES = ["senders", "services"] as const;
export type RouteName = (typeof ROUTES)[number];
