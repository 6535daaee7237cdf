import named from "../../fixtures/game/players.json" with { type: "json" };

/** The player of every seed but "empty" whose token `sandglass env` prints. */
export const MAIN_PLAYER: { username: string; address: string } = named[0]!;
