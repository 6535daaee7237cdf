import { findAll, type Hit, placeOf, type Source } from "./sources.ts";
import { blocksAround } from "./text.ts";

/** The environment variables that a project reads. */

export interface Variable extends Hit {
  /** The name that other code uses for its value: `webhookSecret` in `webhookSecret: process.env.STRIPE_WHSEC`. */
  bound: string | undefined;
  /** The value that the code uses if the variable is not set. */
  fallback: string | undefined;
}

/** The name of a variable that code in any language reads, or that a file sets. */
const READ =
  /(?:(?:env|ENV|environ|[gG]etenv|LookupEnv)\W{1,3}|(?:fetch|config|str|(?:get|getOrThrow|Get)(?:<\w+>)?)\(\s*["'`])([A-Z][A-Z0-9_]{2,})\b|\b([A-Z][A-Z0-9_]{3,})\b(?=[^{}]{0,1000}\}\s*(?:=\s*(?:process|import\.meta|Bun|env|c)\b|from\s+["']\$env))|^\s*([A-Z][A-Z0-9_]{3,})\s*:\s*(?:z|v|Joi|Type|t)\.|^(?:export )?([A-Z][A-Z0-9_]{2,})=/gm;
/** A field in a pydantic settings class. Its variable has the same name in upper case. */
const SETTING =
  /^[ \t]+(\w+)\s*:\s*(?:str|int|SecretStr|PostgresDsn|Optional\[\w+\]|str \| None)\b(?:\s*=\s*(["']?)([^"'\n]*)\2)?/gm;
/** Nuxt's runtime configuration. The variable is the key's name, prefixed with NUXT_. */
const RUNTIME = /\bruntimeConfig\s*:\s*\{/;

const AFTER =
  /^["'\])}!]*\s*(?:\?\?|\|\||,|\bor\b|\?:|\)?\s*\{)\s*(?:Number\(|int\(|parseInt\()?(?:(["'`])([^"'`\n]+)\1|([^"'`\n,)};]+))/;

/** All places that read or set a variable. */
export function variablesIn(sources: readonly Source[]): Variable[] {
  const read = findAll(READ, sources).map((hit): Variable => {
    const { source, index } = hit;
    const whole = source.text.slice(index).match(hit.value)!.index! + index;
    const before = source.text.slice(source.text.lastIndexOf("\n", index) + 1, whole);
    const bound = /([\w$]+)['"]?\s*(?::[^=,]+)?(?::|=>|:?=)\s*[^=;]*$/.exec(before)?.[1];
    const [, , quoted, bare] =
      AFTER.exec(source.text.slice(whole + hit.value.length, whole + hit.value.length + 200)) ?? [];
    return { ...hit, at: hit.at, bound: bound ?? goField(before), fallback: quoted ?? bare?.trim() };
  });
  return [...read, ...settingsIn(sources), ...runtimeIn(sources)];
}

const goField = (before: string): string | undefined => /^\s*(\w+)\s+\w+\s+`/.exec(before)?.[1];

function settingsIn(sources: readonly Source[]): Variable[] {
  const settings = sources.filter(({ path, text }) => path.endsWith(".py") && /BaseSettings\b/.test(text));
  return settings.flatMap((source) => {
    const prefix = /env_prefix\s*=\s*["'](\w+)/.exec(source.text)?.[1] ?? "";
    return [...source.text.matchAll(SETTING)].map((match): Variable => {
      const place = { source, index: match.index };
      const value = `${prefix}${match[1]}`.toUpperCase();
      return { ...place, value, at: placeOf(place), bound: match[1], fallback: match[3] || undefined };
    });
  });
}

function runtimeIn(sources: readonly Source[]): Variable[] {
  return sources
    .filter(({ path, text }) => /nuxt\.config|nitro\.config/.test(path) && RUNTIME.test(text))
    .flatMap((source) =>
      [...source.text.matchAll(/^\s*(\w+)\s*:\s*["']{2}/gm)].map((match): Variable => {
        const place = { source, index: match.index };
        const value = `NUXT_${match[1]!.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase()}`;
        return { ...place, value, at: placeOf(place), bound: match[1], fallback: undefined };
      }),
    );
}

const IS_SET = /^\.env(?:\.local|\.development)?$/;
const nameOf = (path: string): string => path.split("/").at(-1)!;

/** The value that a project's files set: its own `.env` comes first, then an example file. */
export function settingOf(
  name: string,
  sources: readonly Source[],
): (Hit & { isExample: boolean }) | undefined {
  const set = findAll(
    new RegExp(`^(?:export )?${name}=["']?([^"'\\s#]+)`, "gm"),
    sources.filter(({ path }) => /^\.env/.test(nameOf(path))),
  );
  const own = set.find(({ source }) => IS_SET.test(nameOf(source.path)));
  const hit = own ?? set[0];
  return hit && { ...hit, at: hit.at, isExample: own === undefined };
}

/** The configuration keys for a value in PHP: `["stripe", "webhook", "secret"]`. */
export function keysOf({ source, index }: Variable): string[] {
  const before = source.text.slice(source.text.lastIndexOf("\n", index) + 1, index);
  const own = /['"](\w+)['"]\s*=>\s*\w*\(?['"]?$/.exec(before)?.[1];
  const outer = blocksAround(source.text, source.bare, source.path, index).flatMap(
    ({ header }) => /['"](\w+)['"]\s*=>\s*\[$/.exec(header.trimEnd())?.[1] ?? [],
  );
  return [...outer.reverse(), ...(own ? [own] : [])];
}
