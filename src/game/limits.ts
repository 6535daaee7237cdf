import { MAX_BODY_DEPTH } from "../http/json-body.ts";
import { DAY, MINUTE, SECOND } from "../world/duration.ts";

/** The number of channels or messages per page. */
export const PAGE_SIZE = 20;
/** The number of scores or leaderboard rows per page. */
export const SCORES_PAGE_SIZE = 50;
export const ACTIVITIES_PAGE_SIZE = 10;
export const MAX_PAGE_SIZE = 100;

/** The maximum size of a state, in bytes of UTF-8. */
export const MAX_STATE_BYTES = 1024 * 1024;
/** Request bodies contain a state as a JSON string, and escaping can multiply its size. */
export const MAX_BODY_BYTES = 4 * MAX_STATE_BYTES;
/** The depth limit is the same as for all request bodies. */
export const MAX_STATE_DEPTH = MAX_BODY_DEPTH;
export const DEFAULT_LABEL = "default";

export const MAX_LABEL_LENGTH = 200;
export const MAX_NONCE_LENGTH = 200;
export const MAX_TRIGGER_LENGTH = 200;
export const MAX_EVENT_ID_LENGTH = 200;
export const MAX_MESSAGE_LENGTH = 4_000;
export const MAX_ACTIVITY_LENGTH = 500;
export const MAX_NAME_LENGTH = 100;
export const MAX_AVATAR_LENGTH = 4_000;
/** The maximum number of other players in a new channel. */
export const MAX_OTHERS = 99;
export const MAX_TOKEN_LENGTH = 8_192;

/** How long a session counts as present after a heartbeat, in virtual time. */
export const PRESENCE = 2 * MINUTE;
/** The default lifetime of a launcher JWT. */
export const TOKEN_LIFE = DAY;
export const MIN_TOKEN_LIFE = SECOND;
export const MAX_TOKEN_LIFE = 365 * DAY;
/** How long a sign-in waits for the wallet's signature. */
export const SIGN_IN_LIFE = 15 * MINUTE;

export const METHOD_HEADER = "x-service-method";
export const NONCE_HEADER = "x-request-nonce";
export const SIGNATURE_HEADER = "x-request-signature";
