import { href } from "./router.ts";

/** Where an id leads, by its prefix. An id of a delivery leads nowhere without its endpoint. */
const PLACES: Record<string, (id: string) => string> = {
  txn: (id) => href(["payments", "story", id]),
  cs: (id) => href(["payments", "story", id]),
  pl: (id) => href(["payments", "links", id]),
  wh: (id) => href(["webhooks", id]),
};

const ID = /^(txn|cs|pl|wh)_[A-Za-z0-9]{10,}$/;

/** Where to look at what an id names; undefined for any other text. */
export function hrefOfId(text: string): string | undefined {
  const prefix = ID.exec(text)?.[1];
  return prefix === undefined ? undefined : PLACES[prefix]!(text);
}
