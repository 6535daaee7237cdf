import type { ComponentType } from "preact";
import type { Status } from "../api-types.ts";
import type { IconName } from "../components/icon.tsx";
import { probeScenarios } from "../models/scenarios/api.ts";
import { createOffer } from "../models/scenarios/offer.ts";
import type { ViewProps } from "./view-props.ts";

export interface View {
  /** Its name in the address. */
  name: string;
  title: string;
  icon: IconName;
  /** The key that follows `g`. */
  key: string;
  load: () => Promise<{ default: ComponentType<ViewProps> }>;
  /** Whether this server has what the view shows. */
  offered?: (status: Status) => boolean;
}

/** The views, in the order of the navigation. Another one is a folder and a line. */
export const VIEWS: View[] = [
  {
    name: "overview",
    title: "Overview",
    icon: "overview",
    key: "o",
    load: () => import("./overview/index.tsx"),
  },
  {
    name: "webhooks",
    title: "Webhooks",
    icon: "webhooks",
    key: "w",
    load: () => import("./webhooks/index.tsx"),
  },
  { name: "inboxes", title: "Inboxes", icon: "inboxes", key: "i", load: () => import("./inboxes/index.tsx") },
  {
    name: "payments",
    title: "Payments",
    icon: "payments",
    key: "p",
    load: () => import("./payments/index.tsx"),
  },
  {
    name: "game",
    title: "Game",
    icon: "game",
    key: "g",
    load: () => import("./game/index.tsx"),
    offered: ({ bases }) => typeof bases.game === "string",
  },
  {
    name: "data",
    title: "Chain data",
    icon: "data",
    key: "c",
    load: () => import("./data/index.tsx"),
    offered: ({ bases }) => bases.data !== null,
  },
  {
    name: "activity",
    title: "Activity",
    icon: "activity",
    key: "a",
    load: () => import("./activity/index.tsx"),
  },
  { name: "mail", title: "Mail", icon: "mail", key: "m", load: () => import("./mail/index.tsx") },
  { name: "audit", title: "Audit", icon: "audit", key: "u", load: () => import("./audit/index.tsx") },
  {
    name: "scenarios",
    title: "Scenarios",
    icon: "play",
    key: "r",
    load: () => import("./scenarios/index.tsx"),
    offered: createOffer(() => probeScenarios(location.href)),
  },
  {
    name: "connect",
    title: "Connect",
    icon: "connect",
    key: "k",
    load: () => import("./connect/index.tsx"),
  },
  {
    name: "snapshots",
    title: "Snapshots",
    icon: "snapshots",
    key: "s",
    load: () => import("./snapshots/index.tsx"),
  },
];
