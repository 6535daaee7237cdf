import type { ComponentType } from "preact";
import type { IconName } from "../components/icon.tsx";

/** What a view is given: the rest of its address. */
export interface ViewProps {
  /** What follows the view's name in the address. */
  parts: string[];
  query: URLSearchParams;
}

/** What a view is for, in the order of the navigation. */
export const GROUPS = ["Run", "Look", "Set up"] as const;

export interface View {
  /** Its name in the address, and that of its icon. */
  name: IconName;
  title: string;
  /** The key that follows `g`. */
  key: string;
  group: (typeof GROUPS)[number];
  load: () => Promise<{ default: ComponentType<ViewProps> }>;
  /** Navigation shows it once an endpoint takes webhooks of another sender; the palette always has it. */
  ofSenders?: true;
  /** The view whose tab it is: navigation shows that one. */
  within?: IconName;
}

/** The views, in the order of the navigation. Another one is a folder and a line. */
export const VIEWS: View[] = [
  { name: "overview", title: "Home", key: "o", group: "Run", load: () => import("./overview/index.tsx") },
  { name: "webhooks", title: "Webhooks", key: "w", group: "Run", load: () => import("./webhooks/index.tsx") },
  { name: "payments", title: "Payments", key: "p", group: "Run", load: () => import("./payments/index.tsx") },
  {
    name: "scenarios",
    title: "Scenarios",
    key: "r",
    group: "Run",
    load: () => import("./scenarios/index.tsx"),
  },
  {
    name: "send",
    title: "Send an event",
    key: "e",
    group: "Run",
    ofSenders: true,
    load: () => import("./send/index.tsx"),
  },
  {
    name: "activity",
    title: "Activity",
    key: "a",
    group: "Look",
    load: () => import("./activity/index.tsx"),
  },
  {
    name: "audit",
    title: "Audit",
    key: "u",
    group: "Look",
    load: () => import("./audit/index.tsx"),
    within: "activity",
  },
  { name: "mail", title: "Mail", key: "m", group: "Look", load: () => import("./mail/index.tsx") },
  { name: "inboxes", title: "Inboxes", key: "i", group: "Look", load: () => import("./inboxes/index.tsx") },
  { name: "connect", title: "Connect", key: "k", group: "Set up", load: () => import("./connect/index.tsx") },
  {
    name: "snapshots",
    title: "Worlds and snapshots",
    key: "s",
    group: "Set up",
    load: () => import("./snapshots/index.tsx"),
  },
];
