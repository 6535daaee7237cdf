import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  Kind,
  parse,
  type SelectionSetNode,
  type ValueNode,
} from "graphql";
import { isObject } from "../../webhooks/body-text.ts";
import type { ReadRule, SenderApi, WriteRule } from "../../webhooks/sender-api.ts";
import { type Answered, type ApiCall, type ApiState, Refused } from "./call.ts";
import type { Fields } from "./fields.ts";
import { answerRead } from "./reads.ts";
import type { ApiRoute } from "./routes.ts";
import { answerWrite } from "./writes.ts";

type GraphQl = NonNullable<SenderApi["graphql"]>;

interface Operation {
  document: DocumentNode;
  variables: Fields;
  /** The field with an object's id in this API. */
  idField: string;
  names: Readonly<Record<string, string>>;
  state: ApiState;
}

/**
 * Responds to a GraphQL call by applying the file's rule for each root field. Objects get the selected fields; missing
 * ones are null. A root field without a rule produces an error and is reported as unknown.
 * @param stateOf returns the state for a root field's call, such as `POST /graphql issueUpdate`, after the preceding
 * fields
 */
export function answerGraphQl(
  graphql: GraphQl,
  call: ApiCall,
  stateOf: (name: string) => ApiState,
  record: (name: string, answered: Answered) => void,
): Answered["answer"] {
  const { query, variables = {}, operationName } = call.body;
  let document: DocumentNode;
  try {
    document = parse(String(query));
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    return { status: 400, body: { errors: [{ message: error.message }] } };
  }
  const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  const operation = operations.find(({ name }) => name?.value === operationName) ?? operations[0];
  const data: Fields = {};
  const errors: object[] = [];
  const defaults = (operation?.variableDefinitions ?? []).map(({ variable, defaultValue }) => [
    variable.name.value,
    defaultValue && readValue(defaultValue, {}),
  ]);
  const given = { ...Object.fromEntries(defaults), ...(isObject(variables) ? variables : {}) };
  for (const field of fieldsOf(operation?.selectionSet, document)) {
    const [root, key] = [field.name.value, keyOf(field)];
    if (root === "__typename") data[key] = operation!.operation === "mutation" ? "Mutation" : "Query";
    if (root.startsWith("__")) continue;
    const name = `${call.method} ${call.path} ${root}`;
    const state = stateOf(name);
    const idField = graphql.id ?? state.api.id;
    const rule = graphql.fields[root];
    const answered = rule
      ? answerField(name, readRule(rule), argumentsOf(field, given), { call, idField, state })
      : { answer: { status: 404, body: { message: `Field '${root}' doesn't exist.` } }, unknown: name };
    record(name, answered);
    const { status, body } = answered.answer;
    const scope: Operation = { document, variables: given, idField, names: graphql.names, state };
    data[key] = status < 400 ? selected(body, field.selectionSet, scope) : null;
    if (status >= 400) errors.push({ message: messageOf(body), path: [key] });
  }
  return { status: 200, body: { data, ...(errors.length > 0 && { errors }) } };
}

type Rule = { read: ReadRule } | { write: WriteRule };

function readRule(rule: GraphQl["fields"][string]): Rule {
  if (typeof rule === "string") return { read: { one: rule } };
  return "change" in rule || "make" in rule ? { write: rule as WriteRule } : { read: rule as ReadRule };
}

function answerField(
  name: string,
  rule: Rule,
  args: Fields,
  { call, idField, state }: { call: ApiCall; idField: string; state: ApiState },
): Answered {
  // Many mutations take a single argument that contains all fields.
  const { input, ...rest } = args;
  const { id, ...fields } = { ...rest, ...(isObject(input) ? input : {}) } as Fields;
  const params: Record<string, string> = id === undefined ? {} : { id: String(id) };
  const route: ApiRoute = { pattern: name, method: call.method, path: /./, query: {} };
  const by = idField === state.api.id ? undefined : { [idField]: "{id}" };
  const own = { ...call, query: {}, body: fields };
  try {
    return "write" in rule
      ? answerWrite({ route, rule: { ...(by && { by }), ...rule.write }, params, call: own, name }, state)
      : answerRead({ route, rule: { ...(by && { by }), ...rule.read }, params, call: own, name }, state);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { answer: error.answer, ...(error.unknown !== undefined && { unknown: error.unknown }) };
  }
}

const keyOf = ({ alias, name }: FieldNode): string => (alias ?? name).value;

/** The fields of a selection, including those of its fragments. */
function fieldsOf(selection: SelectionSetNode | undefined, document: DocumentNode): FieldNode[] {
  return (selection?.selections ?? []).flatMap((one) => {
    if (one.kind === Kind.FIELD) return one;
    if (one.kind === Kind.INLINE_FRAGMENT) return fieldsOf(one.selectionSet, document);
    const fragment = document.definitions.find(
      (other) => other.kind === Kind.FRAGMENT_DEFINITION && other.name.value === one.name.value,
    );
    return fragment?.kind === Kind.FRAGMENT_DEFINITION ? fieldsOf(fragment.selectionSet, document) : [];
  });
}

const argumentsOf = ({ arguments: all = [] }: FieldNode, variables: Fields): Fields =>
  Object.fromEntries(all.map(({ name, value }) => [name.value, readValue(value, variables)]));

function readValue(node: ValueNode, variables: Fields): unknown {
  if (node.kind === Kind.VARIABLE) return variables[node.name.value];
  if (node.kind === Kind.LIST) return node.values.map((one) => readValue(one, variables));
  if (node.kind === Kind.OBJECT)
    return Object.fromEntries(
      node.fields.map(({ name, value }) => [name.value, readValue(value, variables)]),
    );
  if (node.kind === Kind.NULL) return null;
  return node.kind === Kind.INT || node.kind === Kind.FLOAT ? Number(node.value) : node.value;
}

/** Applies a selection to a value. A query may select a list of objects as a connection. */
function selected(value: unknown, selection: SelectionSetNode | undefined, scope: Operation): unknown {
  if (selection === undefined || value === null || value === undefined) return value ?? null;
  const fields = fieldsOf(selection, scope.document);
  const names = fields.map(({ name }) => name.value);
  if (Array.isArray(value)) {
    if (!names.some((name) => /^(?:nodes|edges|pageInfo|totalCount)$/.test(name)))
      return value.map((one) => selected(one, selection, scope));
    const pageInfo = { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null };
    const edges = value.map((node, index) => ({ cursor: String(index), node }));
    return selected({ nodes: value, edges, pageInfo, totalCount: value.length }, selection, scope);
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    fields.map((field) => [keyOf(field), selected(fieldOf(value, field, scope), field.selectionSet, scope)]),
  );
}

/**
 * The value of an object's field. Events may spell the field with underscores, or contain only the id of the object it
 * refers to.
 */
function fieldOf(object: Fields, { name, selectionSet }: FieldNode, scope: Operation): unknown {
  const { idField, names, state } = scope;
  const own = names[name.value] ?? (name.value === "id" && idField in object ? idField : name.value);
  const snake = own.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const value = object[own] ?? object[snake];
  if (value !== undefined && !(selectionSet && typeof value === "string")) return value;
  const id = value ?? object[`${own}Id`] ?? object[`${snake}_id`];
  return typeof id === "string" ? (state.truth.byId(id) ?? { [state.api.id]: id }) : undefined;
}

/** The message of an API's error, wherever its format puts it. */
function messageOf(body: unknown): string {
  if (!isObject(body)) return String(body);
  if (typeof body.message === "string") return body.message;
  const [inner] = Object.values(body).flat();
  return isObject(inner) ? messageOf(inner) : JSON.stringify(body);
}
