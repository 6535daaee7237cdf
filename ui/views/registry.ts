import type { ComponentType } from "preact";
import type { Status } from "../api-types.ts";
import type { IconName } from "../components/icon.tsx";
import { createOffer, probeScenarios } from "../models/scenarios/api.ts";

/** What a view is given: the rest of its address. */
export interface ViewProps {
  /** What follows the view's name in the address. */
  parts: string[];
  query: URLSearchParams;
}

export interface View {
  /** Its name in the address, and that of its icon. */
  name: IconName;
  title: string;
  /** The key that follows `g`. */
  key: string;
  load: () => Promise<{ default: ComponentType<ViewProps> }>;
  /** Whether this server has what the view shows. */
  offered?: (status: Status) => boolean;
}

/** The views, in the order of the navigation. Another one is a folder and a line. */
export const VIEWS: View[] = [
  { name: "overview", title: "Overview", key: "o", load: () => import("./overview/index.tsx") },
  { name: "webhooks", title: "Webhooks", key: "w", load: () => import("./webhooks/index.tsx") },
  { name: "inboxes", title: "Inboxes", key: "i", load: () => import("./inboxes/index.tsx") },
  { name: "payments", title: "Payments", key: "p", load: () => import("./payments/index.tsx") },
  {
    name: "game",
    title: "Game",
    key: "g",
    load: () => import("./game/index.tsx"),
    offered: ({ bases }) => typeof bases.game === "string",
  },
  {
    name: "data",
    title: "Chain data",
    key: "c",
    load: () => import("./data/index.tsx"),
    offered: ({ bases }) => bases.data !== null,
  },
  { name: "activity", title: "Activity", key: "a", load: () => import("./activity/index.tsx") },
  { name: "mail", title: "Mail", key: "m", load: () => import("./mail/index.tsx") },
  { name: "audit", title: "Audit", key: "u", load: () => import("./audit/index.tsx") },
  {
    name: "scenarios",
    title: "Scenarios",
    key: "r",
    load: () => import("./scenarios/index.tsx"),
    offered: createOffer(() => probeScenarios(location.href)),
  },
  { name: "connect", title: "Connect", key: "k", load: () => import("./connect/index.tsx") },
  { name: "snapshots", title: "Snapshots", key: "s", load: () => import("./snapshots/index.tsx") },
];
