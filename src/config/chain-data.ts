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
  errorMessage: `must be a list of 1 to ${MAX_CHAINS} chain ids, each once`,
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
    errorMessage: "must be a text of ASCII characters in one line",
  },
  errorMessage: "must be an object of header names and texts",
} as const;

export const CHAIN_DATA = object({
  chains: field(CHAINS, KNOWN_CHAINS, "The chains to ask if a request names none, in the order of fallback."),
  pageSize: field(
    integer(1, 100),
    50,
    "Rows per page of a listing, 1 to 100. A cached listing has its pages until it expires.",
  ),
  symbols: field(oneOf("any-case", "exact"), "any-case", "Whether `usdc` finds `USDC`."),
  unknownAddresses: field(
    oneOf("empty", "generate"),
    "empty",
    'What an address in no recording holds: nothing, or coins drawn from the seed: `"generate"`.',
  ),
  timeout: field(TIMEOUT, "10s", "How long a provider may take, in real time."),
  cache: object({
    ttl: field(DURATION, "24h", "How long an answer is fresh, in virtual time."),
    emptyTtl: field(DURATION, "5m", "How long an answer without rows is fresh, in virtual time."),
  }),
  recordings: field(PATHS, [], "Files and folders of nock recordings, searched before the built-in ones."),
  upstream: object({
    explorer: about(
      ADDRESS,
      "Base address of real explorers, with `{chain}` for a chain's id; without it, of the first chain's.",
      { examples: ["https://{chain}.explorer.example/api/v2"] },
    ),
    indexer: about(
      ADDRESS,
      "Base address of a real indexer. If you set only one of the two, the other is not asked.",
      { examples: ["https://indexer.example"] },
    ),
    headers: field(HEADERS, {}, "Headers for every call to a real upstream, such as keys."),
  }),
});
