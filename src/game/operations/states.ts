import { Type } from "typebox";
import { cidOf } from "../cid.ts";
import { JsonText } from "../json-text.ts";
import { DEFAULT_LABEL, MAX_LABEL_LENGTH, PAGE_SIZE } from "../limits.ts";
import { pageFields, StateText, success, textOf } from "../schemas/common.ts";
import { UserState } from "../schemas/records.ts";
import { playerOperation, tagged } from "./operation.ts";

const label = (description: string) =>
  Type.Optional(textOf(MAX_LABEL_LENGTH, { examples: ["save-1"], description }));

export const stateOperations = tagged("States", [
  playerOperation({
    method: "setState",
    summary: "Keep a state of the player",
    description: "One record per game, player and label; the text is stored byte for byte.",
    takes: { state: StateText, label: label(`\`${DEFAULT_LABEL}\` without it.`) },
    answer: success("NewState", { newState: UserState }),
    run: ({ states }, session, { state, label }) =>
      new JsonText(`{"success":true,"newState":${states.set(session, state, cidOf(state), label)}}`),
  }),
  playerOperation({
    method: "getStates",
    aliases: ["getState"],
    summary: "List the player's states, those set last first",
    takes: { label: label("Only the state with this label."), ...pageFields(PAGE_SIZE) },
    answer: success("StateList", { states: Type.Array(UserState) }),
    run: ({ states }, session, { label, ...page }) =>
      new JsonText(`{"success":true,"states":[${states.list(session, label, page).join(",")}]}`),
  }),
]);
