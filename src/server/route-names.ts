/** Which calls a sandbox answers at their own hosts: those of its senders' APIs; or of services and mail servers, too. */
export const ROUTES = ["senders", "services"] as const;
export type RouteName = (typeof ROUTES)[number];
