import { type ReadonlySignal, signal } from "@preact/signals";
import { unlessThrown } from "../../src/runtime/unless-thrown.ts";

/** A parsed page address: `#/webhooks/wh_1/del_2?list=inbox`. Everything that the page can show has an address. */
export interface Route {
  view: string;
  parts: string[];
  query: URLSearchParams;
}

/** The properties of `window` that the router uses. */
export interface Place {
  location: { hash: string };
  history: { state?: unknown; replaceState(data: unknown, title: string, url: string): void };
  addEventListener(type: "hashchange", listener: () => void): void;
  removeEventListener(type: "hashchange", listener: () => void): void;
}

export type Router = ReturnType<typeof createRouter>;

export const HOME = "home";

export function readRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#?\/?/, "").split(/\?(.*)/s);
  const [view = "", ...parts] = path
    .split("/")
    .filter(Boolean)
    .map((part) => unlessThrown(() => decodeURIComponent(part)) ?? part);
  return { view: view || HOME, parts, query: new URLSearchParams(query) };
}

/** Builds a page address, omitting empty parts and values. */
export function href(parts: (string | undefined)[], query: Record<string, string | undefined> = {}): string {
  const path = parts.filter((part) => part).map((part) => encodeURIComponent(part!));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, value);
  const text = search.toString();
  return `#/${path.join("/")}${text && `?${text}`}`;
}

/** Redirects for views that had other names in earlier versions, so old links keep working. */
const MOVED: Record<string, (...parts: string[]) => string> = {
  overview: () => "#/",
  connect: () => "#/",
  snapshots: () => "#/",
  scenarios: () => href(["bug"]),
  game: () => href(["log"]),
  data: () => href(["log"]),
  activity: (kind, id) =>
    kind === "journal"
      ? href(["log", id && "entry", id])
      : href(["log", id && "call", id], { kind: "calls" }),
  audit: () => href(["log"], { kind: "audit" }),
  mail: (id) => href(["log", id && "mail", id], { kind: "mail" }),
  inboxes: (name) => href(["log"], { kind: "inboxes", search: name }),
  payments: (_list, id) => href(["log"], { search: id === "new" ? "" : id }),
};

export function createRouter(place: Place) {
  const arrive = (): Route => {
    const found = readRoute(place.location.hash);
    const moved = Object.hasOwn(MOVED, found.view) && MOVED[found.view]!(...found.parts);
    if (!moved) return found;
    place.history.replaceState(place.history.state, "", moved);
    return readRoute(moved);
  };
  const route = signal(arrive());
  const read = () => (route.value = arrive());
  place.addEventListener("hashchange", read);
  return {
    route: route as ReadonlySignal<Route>,
    go(address: string): void {
      place.location.hash = address;
      read();
    },
    /** Changes the address without adding a history step, for example for filters. */
    replace(address: string): void {
      place.history.replaceState(place.history.state, "", address);
      read();
    },
    /** An address within an endpoint, which keeps the current `list` filter. */
    inEndpoint: (id: string, ...parts: string[]): string =>
      href(["webhooks", id, ...parts], { list: route.value.query.get("list") ?? undefined }),
    close: () => place.removeEventListener("hashchange", read),
  };
}
