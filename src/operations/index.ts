import { dataOperations } from "./chain-data.ts";
import { clockOperations } from "./clock.ts";
import { faultOperations } from "./faults.ts";
import { gameOperations } from "./game.ts";
import { inboxOperations } from "./inboxes.ts";
import { outageOperations } from "./outages.ts";
import { paymentOperations } from "./payments.ts";
import { recordOperations } from "./records.ts";
import { scenarioOperations } from "./scenarios.ts";
import { senderOperations } from "./senders.ts";
import { storyOperations } from "./stories.ts";
import { webhookOperations } from "./webhooks.ts";
import { snapshotOperations, worldOperations } from "./worlds.ts";

/** All operations on a world, and on a server's worlds and scenarios. */
export const OPERATIONS = [
  ...worldOperations,
  ...clockOperations,
  ...paymentOperations,
  ...webhookOperations,
  ...outageOperations,
  ...storyOperations,
  ...senderOperations,
  ...faultOperations,
  ...dataOperations,
  ...gameOperations,
  ...recordOperations,
  ...snapshotOperations,
  ...inboxOperations,
  ...scenarioOperations,
] as const;

export type Declared = (typeof OPERATIONS)[number];
export type OperationName = Declared["name"];
type TypesOf<Name extends OperationName> = NonNullable<Extract<Declared, { name: Name }>["types"]>;
/** The fields of an operation's path, query and body, in one object. */
export type InputOf<Name extends OperationName> = TypesOf<Name>["input"];
export type ResultOf<Name extends OperationName> = TypesOf<Name>["result"];

/** The method that runs an operation. @template Request the part of the HTTP request that it needs */
export type Does<Name extends OperationName, Request extends readonly unknown[] = []> = (
  ...values: Values<Name, Request>
) => ResultOf<Name>;
export type DoesLater<Name extends OperationName, Request extends readonly unknown[] = []> = (
  ...values: Values<Name, Request>
) => Promise<ResultOf<Name>>;
type Values<Name extends OperationName, Request extends readonly unknown[]> =
  unknown extends InputOf<Name> ? Request : [input: InputOf<Name>, ...request: Request];

/** The methods for all operations of an area, such as `game`. @template Later the operations that are asynchronous */
export type MethodsOf<Area extends string, Later extends string = never> = {
  [Name in OperationName as Name extends `${Area}.${infer Method}`
    ? Method
    : never]: Name extends `${Area}.${Later}` ? DoesLater<Name> : Does<Name>;
};

/**
 * Functions in nested objects that follow the parts of their names: `webhooks.retry` is the function `retry` of the
 * object `webhooks`.
 */
export type ByArea<Functions> = {
  [Name in keyof Functions as Name extends `${string}.${string}` ? never : Name]: Functions[Name];
} & {
  [Area in keyof Functions extends infer Name
    ? Name extends `${infer First}.${string}`
      ? First
      : never
    : never]: {
    [Name in keyof Functions as Name extends `${Area}.${infer Method}` ? Method : never]: Functions[Name];
  };
};
