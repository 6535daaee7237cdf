import type { World } from "../world/world.ts";
import type { TokenLookup } from "./schemas.ts";

/** The tokens that the fixtures of a world list, by chain and address. */
export type OwnTokens = () => readonly TokenLookup[];

export function createOwnTokens({ store }: World): OwnTokens {
  const all = store.sql<{ token: string }>("select token from data_tokens order by chain_id, token_address");
  const tokens = store.memo((): readonly TokenLookup[] =>
    all.all().map(({ token }) => JSON.parse(token) as TokenLookup),
  );
  return tokens.get;
}
