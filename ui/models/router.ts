import { type ReadonlySignal, signal } from "@preact/signals";

/** Where the page is: `#/webhooks/wh_1/del_2?zoom=1h`. Everything that can be looked at has such an address. */
export interface Route {
  view: string;
  parts: string[];
  query: URLSearchParams;
}

/** The part of a window that is used. */
export interface Place {
  location: { hash: string };
  history: { state?: unknown; replaceState(data: unknown, title: string, url: string): void };
  addEventListener(type: "hashchange", listener: () => void): void;
  removeEventListener(type: "hashchange", listener: () => void): void;
}

/** Views of earlier versions: a link to one of them leads to the home. */
const GONE = ["game", "data"];

export type Router = ReturnType<typeof createRouter>;

export function readRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#?\/?/, "").split(/\?(.*)/s);
  const [view = "", ...parts] = path.split("/").filter(Boolean).map(decodePart);
  if (GONE.includes(view)) return readRoute("");
  return { view: view || "overview", parts, query: new URLSearchParams(query) };
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a place in the page. Parts and values that are empty are left out. */
export function href(parts: (string | undefined)[], query: Record<string, string | undefined> = {}): string {
  const path = parts.filter((part) => part).map((part) => encodeURIComponent(part!));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, value);
  const text = search.toString();
  return `#/${path.join("/")}${text && `?${text}`}`;
}

export function createRouter(place: Place) {
  const route = signal(readRoute(place.location.hash));
  const read = () => (route.value = readRoute(place.location.hash));
  place.addEventListener("hashchange", read);
  return {
    route: route as ReadonlySignal<Route>,
    go(address: string): void {
      place.location.hash = address;
      read();
    },
    /** Changes the address without a step in the history: for filters and the like. */
    replace(address: string): void {
      place.history.replaceState(place.history.state, "", address);
      read();
    },
    close: () => place.removeEventListener("hashchange", read),
  };
}
