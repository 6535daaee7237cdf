import type { Row } from "../database/dialect.ts";
import { pairEntries } from "./lists.ts";
import { keyText } from "./row-changes.ts";

type Json = unknown;

/** A row that was added, changed or deleted, as a node of a graph. Its edges are references to rows with generated ids. */
export interface RowNode {
  /** The row's table and key. */
  id: string;
  table: string;
  row: Row;
  key: readonly string[];
  /** The columns that serve only as names: generated keys, and numbers that count rows. */
  names: readonly string[];
  /** Whether the row's key is the same in every run. */
  isFixed: boolean;
  /** The columns that refer to nodes, with the nodes' ids. */
  links: readonly { column: string; target: string }[];
  /** The columns that are compared by their value. */
  values: readonly (readonly [column: string, value: Json])[];
}

/** Which rows of two states correspond. */
export interface RowPairs {
  /** Whether renaming can make the states equal. */
  equal: boolean;
  /** For each named row of the second state: the corresponding row's names in the first state, or else unused ones. */
  names(): Map<string, Row>;
}

/**
 * Finds corresponding rows of two states by graph colouring: rows are coloured first by their own values, then repeatedly by
 * the colours of the rows they refer to and are referred to by, until no colour splits any further.
 */
export function pairRows(left: readonly RowNode[], right: readonly RowNode[]): RowPairs {
  const rounds = colour([left, right]);
  const last = rounds.at(-1);
  return {
    equal: last === undefined || sameColours(...last),
    names: () => namesOf(left, right, pairsOf(left, right, rounds)),
  };
}

/**
 * For each row of the second state, the corresponding row of the first, if there is one. Rows whose colours stay equal
 * longest are paired first, in order; then rows of the same table with the most values in common.
 */
function pairsOf(
  left: readonly RowNode[],
  right: readonly RowNode[],
  rounds: readonly [number[], number[]][],
): Map<RowNode, RowNode> {
  const pairs = new Map<RowNode, RowNode>();
  const free = new Set(left);
  const pair = (one: RowNode, other: RowNode) => {
    pairs.set(other, one);
    free.delete(one);
  };
  for (const other of right) {
    const one = other.isFixed && left.find(({ id }) => id === other.id);
    if (one) pair(one, other);
  }
  const isOpen = (node: RowNode) => !node.isFixed && !pairs.has(node);
  for (const [ofLeft, ofRight] of rounds.toReversed()) {
    const open = [...left.keys()].filter((index) => free.has(left[index]!) && !left[index]!.isFixed);
    const places = Map.groupBy(open, (index) => ofLeft[index]!);
    for (const [index, other] of right.entries()) {
      const one = isOpen(other) ? places.get(ofRight[index]!)?.shift() : undefined;
      if (one !== undefined) pair(left[one]!, other);
    }
  }
  for (const [table, others] of Map.groupBy(right.filter(isOpen), (node) => node.table)) {
    const ones = left.filter((node) => node.table === table && free.has(node) && !node.isFixed);
    const [texts, otherTexts] = [ones, others].map((nodes, side) => nodes.map(({ id }) => `${side} ${id}`));
    const { alike } = pairEntries(texts!, otherTexts!, (l, r) => unequalValues(ones[l]!, others[r]!));
    for (const [l, r] of alike) pair(ones[l]!, others[r]!);
  }
  return pairs;
}

/** The colours of the nodes of both states after each round. Colours are comparable between the states. */
function colour(sides: readonly [readonly RowNode[], readonly RowNode[]]): [number[], number[]][] {
  const places = sides.map((nodes) => new Map(nodes.map(({ id }, index) => [id, index])));
  const incoming = sides.map((nodes, side) => {
    const all: { from: number; by: string }[][] = nodes.map(() => []);
    for (const [from, { table, links }] of nodes.entries())
      for (const { column, target } of links) {
        const to = places[side]!.get(target);
        if (to !== undefined) all[to]!.push({ from, by: `${table}.${column}` });
      }
    return all;
  });
  const rounds: [number[], number[]][] = [];
  let count = 0;
  for (;;) {
    const previous = rounds.at(-1);
    const numbers = new Map<string, number>();
    const next = sides.map((nodes, side) =>
      nodes.map((node, index) => {
        const text = previous
          ? textOf(node, index, previous[side]!, places[side]!, incoming[side]!)
          : ownText(node);
        if (!numbers.has(text)) numbers.set(text, numbers.size);
        return numbers.get(text)!;
      }),
    ) as [number[], number[]];
    if (numbers.size === count) return rounds;
    count = numbers.size;
    rounds.push(next);
  }
}

const ownText = ({ table, isFixed, id, values, links }: RowNode): string =>
  JSON.stringify([
    table,
    isFixed ? id : null,
    values.toSorted(byFirst),
    links.map(({ column }) => column).sort(),
  ]);

const byFirst = ([one]: readonly [string, Json], [other]: readonly [string, Json]): number =>
  one < other ? -1 : 1;

function textOf(
  { links }: RowNode,
  index: number,
  colours: readonly number[],
  places: ReadonlyMap<string, number>,
  incoming: readonly { from: number; by: string }[][],
): string {
  const out = links.map(({ column, target }) => `${column} ${colours[places.get(target) ?? -1] ?? target}`);
  const back = incoming[index]!.map(({ from, by }) => `${by} ${colours[from]}`);
  return JSON.stringify([colours[index], out.sort(), back.sort()]);
}

function sameColours(left: readonly number[], right: readonly number[]): boolean {
  const sorted = (all: readonly number[]) => all.toSorted((a, b) => a - b).join();
  return left.length === right.length && sorted(left) === sorted(right);
}

function unequalValues(one: RowNode, other: RowNode): number {
  const values = new Map(one.values);
  return other.values.filter(
    ([column, value]) => JSON.stringify(values.get(column)) !== JSON.stringify(value),
  ).length;
}

/**
 * The names of the right-hand rows: those of their partners. Other rows keep their names, unless a left-hand row has
 * the same name.
 */
function namesOf(
  left: readonly RowNode[],
  right: readonly RowNode[],
  pairs: ReadonlyMap<RowNode, RowNode>,
): Map<string, Row> {
  const idOf = ({ table, key, row }: RowNode, own: Row) => `${table}\0${keyText(key, { ...row, ...own })}`;
  const pick = ({ row }: RowNode, names: readonly string[]): Row =>
    Object.fromEntries(names.map((column) => [column, row[column]]));
  const used = new Set(right.flatMap(({ id, names }) => (names.length === 0 ? [id] : [])));
  const all = new Map<string, Row>();
  const named = right.filter(({ names }) => names.length > 0);
  for (const node of named) {
    const partner = pairs.get(node);
    const own = partner && pick(partner, node.names);
    // A partner from another group may have a number that a row of this group has.
    if (!own || (node.key.length > 1 && used.has(idOf(node, own)))) continue;
    used.add(idOf(node, own));
    all.set(node.id, own);
  }
  const taken = new Set([...used, ...left.flatMap(({ id, names }) => (names.length > 0 ? [id] : []))]);
  for (const node of named) {
    if (all.has(node.id)) continue;
    const column = node.key.find((one) => node.names.includes(one));
    let own = pick(node, node.names);
    while (column !== undefined && taken.has(idOf(node, own))) own = { ...own, [column]: after(own[column]) };
    taken.add(idOf(node, own));
    all.set(node.id, own);
  }
  return all;
}

function after(name: Json): Json {
  if (typeof name === "number") return name + 1;
  return /^\d+$/.test(String(name)) ? String(Number(name) + 1) : `${name}+`;
}
