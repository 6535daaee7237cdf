import { href } from "./router.ts";

const story = (id: string): string => href(["payments", "story", id]);
const audited = (resource: string) => (): string => href(["audit"], { resource_type: resource });

/** Where an id leads, by its prefix. What has no view of its own leads to its changes in the audit trail. */
const PLACES: Record<string, (id: string) => string> = {
  txn: story,
  cs: story,
  evt: story,
  cus: (id) => href(["payments", "transactions"], { customer_id: id }),
  pl: (id) => href(["payments", "links", id]),
  wh: (id) => href(["webhooks", id]),
  del: (id) => href(["webhooks", id]),
  mail: (id) => href(["mail", id]),
  prod: audited("product"),
  disc: audited("discount_code"),
  wid: audited("widget"),
  key: audited("api_key"),
};

const ID = new RegExp(`(?<![\\w-])(${Object.keys(PLACES).join("|")})_[A-Za-z0-9]{10,}(?![\\w-])`, "g");

/** Whether an id is a delivery's: the address of its attempt has its endpoint as well. */
export const isDeliveryId = (id: string): boolean => id.startsWith("del_");

/** A piece of a text, and where the id that it is leads. */
export interface TextPiece {
  text: string;
  href?: string | undefined;
}

/** Splits a text at the ids in it. */
export function piecesOf(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let end = 0;
  for (const { 0: id, 1: prefix, index } of text.matchAll(ID)) {
    if (index > end) pieces.push({ text: text.slice(end, index) });
    pieces.push({ text: id, href: PLACES[prefix!]!(id) });
    end = index + id.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}

/** Where to look at what an id names; undefined for any other text. */
export function hrefOfId(text: string): string | undefined {
  const [piece, ...more] = piecesOf(text);
  return more.length === 0 ? piece?.href : undefined;
}
