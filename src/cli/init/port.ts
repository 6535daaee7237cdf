import { type Found, findAll, type Source } from "./sources.ts";
import { literally, mentions } from "./text.ts";
import { settingOf, type Variable } from "./variables.ts";

/** Finds the port that a server listens on, based on its code and env files. */

const OTHERS =
  /(?:DB|DATABASE|PG|POSTGRES|MYSQL|REDIS|SMTP|MAIL|MONGO|KAFKA|RABBIT|METRICS|PUSHER|REVERB|VITE|SOCKET|WS|DEBUG|GRPC|PROXY|ELASTIC|CACHE|HMR)_?\w*PORT|5432|3306|6379|27017/i;
const IN_CALL =
  /\blisten\w*\(\s*(?:\{[^}]*?port\s*:\s*)?["'`]?(?:[\w.]*:)?(\d{4,5})\b|\b(?:serve|Serve|run|ListenAndServe|Run|Listen|Start|runserver)\w*\([^()]*?(?:["'`:]|port\s*[=:]\s*)(\d{4,5})\b/g;
const NAMED =
  /^[ \t]*(?:export\s+)?(?:(?:const|let|var)\s+)?(?:\w*[pP]ort|PORT|\w+_PORT)["']?\s*(?::=|[:=])\s*(?:\w+\()?["'`]?:?(\d{4,5})\b/gm;
const FALLBACK = /^["'`]?:?(\d{4,5})/;

/** @param sources the server's sources, its own folder first */
export function findPort(variables: readonly Variable[], sources: readonly Source[]): Found | undefined {
  const isOther = ({ value, bound = "" }: Variable) => OTHERS.test(value) || OTHERS.test(bound);
  const ports = variables.filter(
    (one) =>
      /(?:^|_)PORT$/.test(one.value) && !isOther(one) && !/^\.env/.test(one.source.path.split("/").at(-1)!),
  );
  // Prefer the variable that the call to listen uses.
  const listening = sources.filter(({ text }) =>
    /\b(?:listen\w*|serve|ListenAndServe|Run|run|Start)\(/.test(text),
  );
  const near = (one: Variable) =>
    listening.includes(one.source)
      ? 0
      : listening.some(({ text }) => one.bound !== undefined && mentions(text, one.bound))
        ? 1
        : 2;
  const sorted = [...ports].sort(
    (a, b) => Number(b.value === "PORT") - Number(a.value === "PORT") || near(a) - near(b),
  );
  for (const variable of sorted) {
    const set = settingOf(variable.value, sources);
    if (set && !set.isExample && /^\d+$/.test(set.value)) return set;
    const fallback = FALLBACK.exec(variable.fallback ?? "")?.[1] ?? laterDefault(variable);
    if (fallback !== undefined) return { value: fallback, at: variable.at };
    if (set && /^\d+$/.test(set.value)) return set;
  }
  const isFree = ({ value, source, index }: { value: string; source: Source; index: number }) =>
    !OTHERS.test(value) &&
    !OTHERS.test(source.text.slice(source.text.lastIndexOf("\n", index) + 1, index + 40));
  return [...findAll(IN_CALL, sources), ...findAll(NAMED, sources)].find(isFree);
}

/** Finds a default that is set after the variable is read: `if port == "" { port = "8080" }`. */
const laterDefault = ({ source, index, bound }: Variable): string | undefined =>
  bound === undefined
    ? undefined
    : new RegExp(`(?<![\\w$.])${literally(bound)}\\s*=\\s*["'\`]?:?(\\d{4,5})\\b`).exec(
        source.text.slice(index),
      )?.[1];
