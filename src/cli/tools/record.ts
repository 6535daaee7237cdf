import { KNOWN_CHAINS } from "../../chain-data/chains.ts";
import type { Recorded, RecordPlan } from "../../chain-data/recording/record.ts";
import { misuse } from "../../errors/errors.ts";
import { count } from "../../timeline/text.ts";
import { parseDuration } from "../../world/duration.ts";
import type { Invocation } from "../command.ts";
import { namesIn } from "../named-values.ts";
import { type Cell, columns, note, paint, paintError, print } from "../output.ts";
import { checkFolder } from "../report-files.ts";

interface RecordOptions {
  dataBaseUrl?: string;
  explorerUrl?: string;
  indexerUrl?: string;
  header?: string[];
  chain?: string[];
  address?: string[];
  symbol?: string[];
  timeout?: string;
  out?: string;
  json?: boolean;
}

const OUT = "recordings";
const TIMEOUT = "10s";

export async function run({ options }: Invocation<RecordOptions>): Promise<number> {
  const plan = readPlan(options);
  const folder = options.out ?? OUT;
  checkFolder("--out", folder);
  const { record } = await import("../../chain-data/recording/record.ts");
  const { writeRecordings } = await import("../../chain-data/recording/files.ts");
  const asked: Recorded[] = [];
  const recordings = await record(plan, (done) => {
    asked.push(done);
    if (!options.json) note(columns([progress(done)]).join(""));
  });
  const files = writeRecordings(folder, recordings);
  if (options.json) print(JSON.stringify({ asked, files }));
  else if (files.length > 0) {
    for (const { path, exchanges } of files) print(`Wrote ${path}: ${count(exchanges, "exchange")}.`);
    print(`To replay them, in sandbox.config.ts: chainData: { recordings: [${JSON.stringify(folder)}] }`);
  }
  const complete = asked.every(({ failure }) => failure === null);
  if (complete && files.length === 0)
    process.stderr.write(
      paintError(
        "Nothing was recorded: every response was a 404.",
        "Check the base URLs, including their paths, and the addresses and symbols.",
      ),
    );
  return files.length > 0 && complete ? 0 : 1;
}

function progress({ provider, subject, rows, exchanges, failure }: Recorded): Cell[] {
  if (failure !== null) return [paintCell("failed", paint.red), provider, subject, failure];
  if (exchanges === 0)
    return [paintCell("empty", paint.yellow), provider, subject, "404, so nothing is recorded"];
  return [paintCell("ok", paint.green), provider, subject, count(rows, "row")];
}

const paintCell = (text: string, color: (text: string) => string): Cell => ({ text, color });

/** @throws SandboxError `bad_request` with the option */
function readPlan(options: RecordOptions): RecordPlan {
  const base = options.dataBaseUrl && readBase("--data-base-url", options.dataBaseUrl);
  const explorer = options.explorerUrl && readBase("--explorer-url", options.explorerUrl);
  const indexer = options.indexerUrl && readBase("--indexer-url", options.indexerUrl);
  const addresses = listOf(options.address);
  const symbols = listOf(options.symbol);
  if (!base && !explorer && !indexer)
    throw misuse(
      "There is no upstream to record.",
      "Pass --explorer-url, --indexer-url, or --data-base-url for a server that has both, under /explorer and /insights.",
    );
  if (addresses.length + symbols.length === 0)
    throw misuse("There is nothing to record.", "Pass addresses with --address, or symbols with --symbol.");
  const wrong = addresses.find((address) => !/^0x[0-9a-f]{40}$/i.test(address));
  if (wrong !== undefined)
    throw misuse(
      `--address expects 0x followed by 40 hex digits, not '${wrong}'.`,
      "Copy the address from a block explorer.",
    );
  return {
    explorer: explorer ?? (base && `${base}/explorer`),
    indexer: indexer ?? (base && `${base}/insights`),
    headers: Object.fromEntries((options.header ?? []).map(readHeader)),
    chains: readChains(listOf(options.chain)),
    addresses,
    symbols,
    timeout: parseDuration(options.timeout ?? TIMEOUT),
  };
}

const listOf = (values: string[] | undefined): string[] => namesIn(values?.join()) ?? [];

/** An upstream's base URL, to which request paths are appended. */
function readBase(flag: string, value: string): string {
  const text = value.replace(/\/+$/, "");
  const example = text.replaceAll("{chain}", "1");
  const url = URL.canParse(example) ? new URL(example) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw misuse(
      `${flag} must be an http or https URL, not '${value}'.`,
      "For example: https://{chain}.explorer.example/api/v2.",
    );
  if (url.search !== "" || url.username !== "" || url.password !== "")
    throw misuse(
      `${flag} must not contain a query or a password.`,
      "Send a key as a header: --header 'x-api-key: …'.",
    );
  return text;
}

function readHeader(text: string): [string, string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(\S.*)$/.exec(text) ?? [];
  if (name === undefined)
    throw misuse(`--header expects 'name: value', not '${text}'.`, "For example: --header 'x-api-key: 123'.");
  return [name.toLowerCase(), value!.trim()];
}

function readChains(texts: string[]): readonly number[] {
  if (texts.length === 0) return KNOWN_CHAINS;
  return texts.map((text) => {
    if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
    throw misuse(`--chain expects chain ids, not '${text}'.`, "For example: --chain 1,8453.");
  });
}
