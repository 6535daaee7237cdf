import { KNOWN_CHAINS } from "../chain-data/chains.ts";
import { MAX_CHAINS } from "../chain-data/limits.ts";
import { about, DURATION, field, integer, object, oneOf } from "../schema/schema.ts";

const ADDRESS = { type: "string", format: "http-address" } as const;
const PATHS = { type: "array", items: { type: "string", format: "path" } } as const;
const CHAINS = {
  type: "array",
  items: { type: "integer", minimum: 1 },
  minItems: 1,
  maxItems: MAX_CHAINS,
  uniqueItems: true,
  errorMessage: `must be a list of 1 to ${MAX_CHAINS} unique chain ids`,
} as const;
const TIMEOUT = {
  ...DURATION,
  formatMinimum: 1,
  errorMessage: "must be a duration of at least 1 ms, such as 10s",
} as const;
const HEADERS = {
  type: "object",
  propertyNames: { type: "string", pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$" },
  additionalProperties: {
    type: "string",
    pattern: "^[\\t\\x20-\\x7e]*$",
    errorMessage: "must be a single-line ASCII string",
  },
  errorMessage: "must be an object of header names and string values",
} as const;

export const CHAIN_DATA = object({
  chains: field(CHAINS, KNOWN_CHAINS, "The chains to query if a request specifies none, in fallback order."),
  pageSize: field(
    integer(1, 100),
    50,
    "Rows per page of a listing, 1 to 100. Cached listings stay as they are until they expire.",
  ),
  symbols: field(oneOf("any-case", "exact"), "any-case", "Whether `usdc` finds `USDC`."),
  unknownAddresses: field(
    oneOf("empty", "generate"),
    "empty",
    'Holdings of an address that no recording contains: none, or coins drawn from the seed (`"generate"`).',
  ),
  timeout: field(TIMEOUT, "10s", "The time limit for a provider's response, in real time."),
  cache: object({
    ttl: field(DURATION, "24h", "How long a response stays fresh, in virtual time."),
    emptyTtl: field(DURATION, "5m", "How long a response without rows stays fresh, in virtual time."),
  }),
  recordings: field(PATHS, [], "Files and folders of nock recordings, searched before the built-in ones."),
  upstream: object({
    explorer: about(
      ADDRESS,
      "Base URL of real explorers, with `{chain}` for the chain id. Without `{chain}`, it is the URL of the first chain's explorer.",
      { examples: ["https://{chain}.explorer.example/api/v2"] },
    ),
    indexer: about(
      ADDRESS,
      "Base URL of a real indexer. If you set only one of `explorer` and `indexer`, the other kind of provider is not queried.",
      { examples: ["https://indexer.example"] },
    ),
    headers: field(HEADERS, {}, "Headers for every call to a real upstream, such as API keys."),
  }),
});
