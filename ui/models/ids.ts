import { href } from "./router.ts";

const inLog = (id: string): string => href(["log"], { search: id });
const endpoint = (id: string): string => href(["webhooks", id]);

/** Link targets by id prefix: either the object itself, or the log filtered by the id. */
const PLACES: Record<string, (id: string) => string> = {
  wh: endpoint,
  del: endpoint,
  mail: (id) => href(["log", "mail", id]),
  ...Object.fromEntries(
    ["txn", "cs", "evt", "cus", "pl", "prod", "disc", "wid", "key"].map((kind) => [kind, inLog]),
  ),
};

const ID = new RegExp(`(?<![\\w-])(${Object.keys(PLACES).join("|")})_[A-Za-z0-9]{10,}(?![\\w-])`, "g");

/**
 * Whether a string is a delivery id. The address of an attempt also contains its endpoint, which the caller must look
 * up.
 */
export const isDeliveryId = (id: string): boolean => id.startsWith("del_");

export interface TextPiece {
  text: string;
  href?: string | undefined;
}

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

/** The page address for an id; undefined for any other string. */
export function hrefOfId(text: string): string | undefined {
  const [piece, ...more] = piecesOf(text);
  return more.length === 0 ? piece?.href : undefined;
}
