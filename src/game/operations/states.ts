import { type CidOf, loadCidOf } from "../cid.ts";
import { JsonText } from "../json-text.ts";
import * as shapes from "../schemas/states.ts";
import { playerOperation, tagged } from "./operation.ts";

export const stateOperations = tagged("States", [
  playerOperation({
    method: "setState",
    summary: "Keep a state of the player",
    description: "One record per game, player and label; the text is stored byte for byte.",
    body: shapes.SetState,
    answer: shapes.NewState,
    run({ states }, session, { state, label }) {
      const set = (cidOf: CidOf) =>
        new JsonText(`{"success":true,"newState":${states.set(session, cidOf, state, label)}}`);
      const cidOf = loadCidOf();
      return cidOf instanceof Promise ? cidOf.then(set) : set(cidOf);
    },
  }),
  playerOperation({
    method: "getStates",
    aliases: ["getState"],
    summary: "List the player's states, those set last first",
    body: shapes.GetStates,
    answer: shapes.StateList,
    run: ({ states }, session, { label, ...page }) =>
      new JsonText(`{"success":true,"states":[${states.list(session, label, page).join(",")}]}`),
  }),
]);
