import type { FileSender } from "../../webhooks/described.ts";
import type { TableShape } from "../database/dialect.ts";
import type { CopiedRows } from "../database/on-copy.ts";
import { keyText } from "../subject/row-changes.ts";
import { type Delivered, hasWorked } from "./delivered.ts";
import { lacksRow } from "./evidence.ts";
import { type ExampleId, exampleIds, isLasting, type Lead, leadsOf } from "./leads.ts";
import { type Fit, knownOf, rowsFor, senderWith } from "./rows.ts";
import { changesRow, usesRow } from "./uses-row.ts";
import { createWritten, isWritten, noteWritten } from "./written.ts";

/** The maximum number of an event's lookups that may need rows. */
const MOST_TOGETHER = 4;
/** How many runs of stories to try rows with. */
const MOST_PLAYS = 100;

export interface SearchParts {
  /** The sender with the known values in the user's database. */
  sender: FileSender;
  /** The names of the sender's stories. */
  stories: readonly string[];
  copied: CopiedRows;
  shapes: readonly TableShape[];
  /** Plays a story's calm run up to the first refused event. */
  play(story: string, sender: FileSender): Promise<readonly Delivered[]>;
}

export interface Found {
  fits: readonly Fit[];
  /** The event types that have an effect with these rows. */
  effective: readonly string[];
  /** Empty tables in which a handler looked something up. */
  empty: readonly string[];
}

type Run = readonly Delivered[];

/** A run, and the rows that it used. */
interface Fitted {
  fits: readonly Fit[];
  run: Run;
}

/** Whether every event that worked in one run also worked in the other. */
const keepsWorking = (before: Run, now: Run): boolean =>
  before.every((one, index) => !hasWorked(one) || (now[index] !== undefined && hasWorked(now[index])));

/**
 * Finds rows for a handler's lookups that find none. A correct handler makes the same lookup to find out whether it has seen
 * an event before, and a row would make it treat each event as a duplicate. So a row must prove itself: the event, which had
 * no effect or was refused, now has an effect that depends on the row, and every other event works as before. Columns that
 * the handler fills itself get no row.
 */
export async function searchRows({ sender, stories, copied, shapes, play }: SearchParts): Promise<Found> {
  const written = createWritten();
  const empty = new Set<string>();
  const calm = new Map<string, Run>();
  const asExamples = exampleIds(sender.facts);
  const named = new Set(Object.values(sender.facts.known ?? {}).flatMap((values) => values.map(String)));
  const example = ({ kind, index }: ExampleId): string =>
    asExamples.find((one) => one.kind === kind && one.index === index)!.value;
  /** The fits whose rows currently have an example's id. */
  let changed: readonly Fit[] = [];
  let plays = 0;
  /** The runs so far, by their story and rows. */
  const played = new Map<string, Run>();

  async function playWith(story: string, fits: readonly Fit[]): Promise<Run> {
    const set = fits.filter(({ isSet }) => isSet);
    const rows = set.map(({ table, shape, row, column, value }) => [
      table,
      keyText(shape.key, row),
      column,
      value,
    ]);
    const name = JSON.stringify([story, knownOf(fits, sender), rows]);
    const known = played.get(name);
    if (known) return known;
    await setRows(set);
    if (calm.size === stories.length) plays += 1;
    const run = await play(story, senderWith(sender, fits));
    for (const one of run) noteWritten(written, one);
    played.set(name, run);
    return run;
  }

  /** Sets an example's id in rows of the copy, and removes it from others. */
  async function setRows(wanted: readonly Fit[]): Promise<void> {
    const isIn = (all: readonly Fit[], { row, column, value }: Fit) =>
      all.some((one) => one.row === row && one.column === column && one.value === value);
    const old = changed.filter((one) => !isIn(wanted, one));
    const added = wanted.filter((one) => !isIn(changed, one));
    if (old.length + added.length === 0) return;
    changed = wanted;
    await copied.change(async (setCell) => {
      for (const one of old) await setCell(one, null);
      for (const one of added) await setCell(one, one.value);
      return true;
    });
  }

  /** Values that the user specified in `known` are kept. */
  const leadsIn = (one: Delivered, fits: readonly Fit[]): Promise<Lead[]> => {
    const { kinds = {} } = senderWith(sender, fits).facts;
    const own = Object.entries(kinds).filter(([kind]) => sender.facts.known?.[kind] === undefined);
    return leadsOf(one, { kinds: Object.fromEntries(own) }, copied, shapes);
  };

  const isFilled = ({ table, kind, column }: { table: string; kind: string; column: string }): boolean =>
    isWritten(written, table, column, !isLasting({ kind }));

  function isProven(one: Delivered, fits: readonly Fit[]): boolean {
    const lasting = fits.filter(isLasting);
    const others = fits.filter((fit) => !isLasting(fit));
    return (
      !fits.some(isFilled) &&
      others.every((fit) => changesRow(one, fit)) &&
      (others.length > 0 || lasting.some((fit) => usesRow(one, fit, fit.shape.key)))
    );
  }

  const doesWork = ({ fits, run }: Fitted, index: number, first: Fitted): boolean =>
    run[index] !== undefined &&
    hasWorked(run[index]) &&
    isProven(run[index], fits.slice(first.fits.length)) &&
    keepsWorking(first.run, run);

  /**
   * Removes rows that are unnecessary because their lookups may also find nothing.
   * @param parts the rows that can be removed together
   */
  async function withoutNeedless(
    story: string,
    fitted: Fitted,
    index: number,
    first: Fitted,
    parts: readonly (readonly Fit[])[],
  ): Promise<Fitted> {
    let least = fitted;
    for (const part of parts) {
      const fits = least.fits.filter((one) => !part.includes(one));
      const fewer = { fits, run: await playWith(story, fits) };
      if (doesWork(fewer, index, first)) least = fewer;
    }
    return least;
  }

  async function worksElsewhere(story: string, fits: readonly Fit[]): Promise<boolean> {
    for (const other of stories) {
      const before = calm.get(other)!;
      if (other === story || !before.some(hasWorked)) continue;
      if (!keepsWorking(before, await playWith(other, fits))) return false;
    }
    return true;
  }

  /** The rows to try for a lookup, in addition to those that the other lookups use. */
  function optionsFor(lead: Lead, leads: readonly Lead[], fits: readonly Fit[]) {
    const inTable = leads.filter(({ table }) => table === lead.table);
    const columns = inTable.flatMap(({ sought }) => sought.map(({ column }) => column));
    return rowsFor(lead, fits, { copied, shapes, example, columns, named });
  }

  const mayLack = (lead: Lead, one: Delivered): boolean =>
    lacksRow(lead, one, shapes) && !lead.sought.some((id) => isFilled({ ...id, table: lead.table }));

  /** The rows that an event needs, if it works with the given ones. @param parts see `withoutNeedless` */
  async function leastOf(
    story: string,
    fitted: Fitted,
    index: number,
    first: Fitted,
    parts: readonly (readonly Fit[])[],
  ): Promise<Fitted | undefined> {
    if (!doesWork(fitted, index, first)) return undefined;
    const least = await withoutNeedless(story, fitted, index, first, parts);
    return (await worksElsewhere(story, least.fits)) ? least : undefined;
  }

  /**
   * @param index the event in the run that needs a row
   * @param first the run before this search, and its fits
   */
  async function search(
    story: string,
    run: Run,
    index: number,
    fits: readonly Fit[],
    first: Fitted,
  ): Promise<Fitted | undefined> {
    const leads = await leadsIn(run[index]!, fits);
    const [lasting, others] = [true, false].map((is) =>
      leads.filter(({ sought }) => sought.every(isLasting) === is),
    ) as [Lead[], Lead[]];
    // The handler did not stop at the earlier lookups.
    for (const lead of [...lasting.slice(0, 1), ...others]) {
      if (!mayLack(lead, run[index]!)) continue;
      const { isEmpty, options } = await optionsFor(lead, leads, fits);
      if (isEmpty) empty.add(lead.table);
      for (const option of options) {
        if (plays >= MOST_PLAYS) return undefined;
        const next = await playWith(story, option);
        const one = next[index];
        const left = one && (await leadsIn(one, option));
        if (!one || left!.some(({ name }) => name === lead.name)) continue;
        const added = option.slice(first.fits.length);
        if (hasWorked(one)) {
          const others = added.slice(0, -1).map((fit) => [fit]);
          const least = await leastOf(story, { fits: option, run: next }, index, first, others);
          if (least) return least;
          continue;
        }
        // The handler may need several rows.
        const isOpen = left!.length > 0 && added.length < MOST_TOGETHER;
        const deeper = isOpen && (await search(story, next, index, option, first));
        if (deeper) return deeper;
      }
    }
    return undefined;
  }

  /**
   * Like `search`, without observed lookups, so nothing shows which rows the handler needs.
   * @param isThorough whether to try each table's rows alone; otherwise, one row of each table at once
   */
  async function guess(
    story: string,
    index: number,
    first: Fitted,
    isThorough: boolean,
  ): Promise<Fitted | undefined> {
    const one = first.run[index]!;
    const leads = (await leadsIn(one, first.fits)).filter((lead) => mayLack(lead, one));
    const options: (readonly Fit[])[] = [];
    let all = first.fits;
    for (const lead of leads) {
      const { options: own } = await optionsFor(lead, leads, isThorough ? first.fits : all);
      options.push(...own);
      all = own[0] ?? all;
    }
    for (const option of isThorough ? options : [all]) {
      if (option.length === first.fits.length) continue;
      if (plays >= MOST_PLAYS) return undefined;
      const fitted = { fits: option, run: await playWith(story, option) };
      const added = option.slice(first.fits.length);
      const values = Map.groupBy(added, ({ kind, index: number }) => `${kind} ${number}`).values();
      const rows = added.toReversed().toSorted((a, b) => Number(b.isSet) - Number(a.isSet));
      const parts = [...values, ...rows.map((fit) => [fit])];
      const least = await leastOf(story, fitted, index, first, parts);
      if (least) return least;
    }
    return undefined;
  }

  // First, learn from all stories which columns the handler fills.
  for (const story of stories) calm.set(story, await playWith(story, []));
  const effective = new Set<string>();
  let fits: readonly Fit[] = [];
  for (const isThorough of [false, true])
    for (const story of stories) {
      let run = await playWith(story, fits);
      for (let index = 0; index < run.length; index += 1) {
        const { statements } = run[index]!;
        if (hasWorked(run[index]!) || (isThorough && statements)) continue;
        const now = { run, fits };
        await setRows(fits.filter(({ isSet }) => isSet));
        const found = await (statements
          ? search(story, run, index, fits, now)
          : guess(story, index, now, isThorough));
        if (found) ({ fits, run } = found);
      }
      for (const one of run) if (hasWorked(one)) effective.add(one.event);
    }
  await setRows(fits.filter(({ isSet }) => isSet));
  return { fits, effective: [...effective], empty: [...empty] };
}
