import { readFileSync } from "node:fs";
import { misuse } from "../../errors/errors.ts";
import { fileError } from "../../errors/file-error.ts";
import { textOf } from "../../runtime/text-file.ts";
import { readCount } from "../operation/actions.ts";
import { type Given, view, viewsOf } from "../operation/view.ts";
import { note } from "../output.ts";

const EXAMPLE = '[{"value": "2500000", "token": {"address": "0x…", "symbol": "USDC", "decimals": "6"}}]';

const ADDRESS = /^0x[0-9a-f]{40}$/i;

export const views = viewsOf(
  view("data.addresses", {
    read: checked,
    pick: ({ data }, { given: { address, chain_id: chain } }) => ({
      data: data.filter(
        (one) =>
          (address === undefined || one.address === address.toLowerCase()) &&
          (chain === undefined || one.chain_id === chain),
      ),
    }),
  }),
  view("data.setHoldings", {
    read(given) {
      const { address, set, chain_id } = checked(given);
      return { ...readTokens(set), address, ...(chain_id !== undefined && { chain_id }) };
    },
    pick(changed, { given, options }) {
      // An API call without `chain_id` reads only the configured chains.
      if (given.chain_id !== undefined && !options.json)
        note(`API calls read it with ?chain_id=${changed.chain_id}.`);
      return changed;
    },
  }),
  view("data.clearHoldings", { read: checked }),
);

/** Rejects mutually exclusive fields. @throws SandboxError `bad_request` */
function checked(given: Given): Given {
  const { address, set, clear, chain_id: chain } = given;
  if (chain !== undefined) readCount(String(chain), "--chain");
  if (address === undefined && (set !== undefined || clear))
    throw misuse(
      "--set and --clear need an address.",
      `For example: npx sandglass holdings 0x… ${clear ? "--clear" : "--set holdings.json"}`,
    );
  if (address !== undefined && !ADDRESS.test(address))
    throw misuse(
      `'${address.slice(0, 80)}' is not a valid address.`,
      "Write 0x followed by 40 hexadecimal characters.",
    );
  if (set !== undefined && clear)
    throw misuse("holdings accepts either --set or --clear.", "Omit one of them.");
  if (clear && chain !== undefined)
    throw misuse(
      "--clear cannot be combined with --chain: it clears every chain.",
      `To clear one chain, set its holdings to an empty list: npx sandglass holdings ${address} --set holdings.json --chain ${chain}, with [] in the file.`,
    );
  return given;
}

/**
 * Reads tokens from a file: a list, or an object with `tokens` and optionally `chain_id`, as in the control API.
 * @throws SandboxError `bad_request`
 */
function readTokens(file: string): object {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw fileError("read", file, error, `--set expects a JSON file with tokens, such as ${EXAMPLE}`);
  }
  const content = parse(file, textOf(bytes, { name: file, code: "bad_request" }));
  if (Array.isArray(content)) return { tokens: content };
  if (typeof content === "object" && content !== null && "tokens" in content) return content;
  throw misuse(
    `${file} contains neither a list of tokens nor an object with tokens.`,
    `For example: ${EXAMPLE}`,
  );
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw misuse(
      `${file} is not JSON: ${(error as Error).message}`,
      `It must contain a list of tokens, such as ${EXAMPLE}`,
    );
  }
}
