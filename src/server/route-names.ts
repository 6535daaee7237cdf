/**
 * Which calls a sandbox answers at their real hosts: only those to its senders' APIs, or also those to services and mail
 * servers.
 */
export const ROUTES = ["senders", "services"] as const;
export type RouteName = (typeof ROUTES)[number];
