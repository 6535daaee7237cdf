import { existsSync } from "node:fs";
import { serviceAddress } from "./ci-database.ts";
import type { Database } from "./database.ts";
import { isServer } from "./database-kinds.ts";
import type { Project } from "./project.ts";
import { firstThere } from "./sources.ts";
import type { Language } from "./start.ts";

/** The commands that create a database's tables, keyed by the file that calls for them and, if it matters, by kind. */
export type Tables = Record<string, string | Record<string, string>>;

/** What CI must run before the test. */
export interface Preparation {
  /** Commands that install packages, build, and fill the database. */
  commands: string[];
  /** Whether those commands create the tables of the job's database, and add rows to them. */
  hasTables: boolean;
  hasRows: boolean;
}

/** @param base the server's folder with a trailing slash @param project the server's package, if it is in JavaScript */
export function prepareOf(
  language: Language,
  base: string,
  database: Database,
  tables: Tables,
  project: Project | undefined,
): Preparation {
  const manifest = Object.entries(language.manifests).find(([path]) => existsSync(path)) ? "" : base;
  const within = (folder: string, command: string) =>
    folder === "" ? command : `cd ${folder.replace(/\/$/, "")} && ${command}`;
  const installs =
    Object.entries(language.manifests).find(([path]) => existsSync(`${manifest}${path}`))?.[1] ?? "";
  const example = firstThere(`${base}.env.example`, `${base}.env.sample`);
  const makesTables = Object.entries(tables).find(([path]) => existsSync(`${base}${path}`))?.[1];
  const command = typeof makesTables === "object" ? makesTables[database.kind] : makesTables;
  const address = isServer(database.kind) ? serviceAddress(database.kind) : database.state.value;
  const { migrate, seed, builds = false } = project ?? {};
  const fill =
    command?.replace("{{address}}", address.replace(/^sqlite:/, "")) ?? (migrate && `{{script}} ${migrate}`);
  return {
    commands: [
      // Many servers do not start without their variables. A file in the repository stays as it is.
      ...(example ? [within(base, `test -f .env || cp ${example.slice(base.length)} .env`)] : []),
      ...(installs === "" ? [] : [within(manifest, installs)]),
      // The sources may import files that this command generates.
      ...(fill ? [within(base, fill)] : []),
      ...(builds ? [within(base, "{{script}} build")] : []),
      // Without tables, it would fail.
      ...(fill && seed ? [within(base, `{{script}} ${seed}`)] : []),
    ],
    hasTables: fill !== undefined,
    hasRows: fill !== undefined && seed !== undefined,
  };
}
