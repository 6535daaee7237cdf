import type { ComponentType } from "preact";
import type { IconName } from "../components/icon.tsx";
import { HOME } from "../models/router.ts";

/** The props of a view, which are the rest of its address. */
export interface ViewProps {
  /** The segments of the address after the view's name. */
  parts: string[];
  query: URLSearchParams;
}

export interface View {
  /** The view's name in the address. */
  name: string;
  title: string;
  load: () => Promise<{ default: ComponentType<ViewProps> }>;
  /** How the navigation shows the view. A view without this is reached from an endpoint. */
  place?: { icon: IconName; key: string };
}

/** The views. To add one, create a folder and add a line here. */
export const VIEWS: View[] = [
  { name: HOME, title: "Endpoints", load: () => import("./home/index.tsx") },
  { name: "webhooks", title: "Endpoints", load: () => import("./webhooks/index.tsx") },
  {
    name: "bug",
    title: "Find a bug",
    load: () => import("./bug/index.tsx"),
    place: { icon: "bug", key: "b" },
  },
  { name: "log", title: "Log", load: () => import("./log/index.tsx"), place: { icon: "log", key: "l" } },
];
