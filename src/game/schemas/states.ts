import { Type } from "typebox";
import { shape } from "../../http/shapes.ts";
import { DEFAULT_LABEL, MAX_LABEL_LENGTH, PAGE_SIZE } from "../limits.ts";
import { launcherBody, Millis, NormalizedAddress, ObjectId, pageFields, Success } from "./common.ts";

export const StateText = Type.String({
  description: "JSON as a string, at most 1 MiB in UTF-8.",
  examples: ['{"level":4,"coins":120}'],
});
const Label = Type.String({ minLength: 1, maxLength: MAX_LABEL_LENGTH, examples: ["save-1"] });

const UserState = shape("UserState", {
  _id: ObjectId,
  gameId: Type.String(),
  ipfsHash: Type.String({
    description: "The content id (CIDv1, raw, SHA-256) of the state's bytes.",
    examples: ["bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"],
  }),
  normalizedAddress: NormalizedAddress,
  label: Type.String(),
  updatedAt: Millis,
  state: Type.Unknown({ description: "The value that the text holds." }),
});

export const SetState = launcherBody("SetState", {
  state: StateText,
  label: Type.Optional({ ...Label, description: `\`${DEFAULT_LABEL}\` without it.` }),
});
export const NewState = shape("NewState", { success: Success, newState: UserState });
export const GetStates = launcherBody("GetStates", {
  label: Type.Optional({ ...Label, description: "Only the state with this label." }),
  ...pageFields(PAGE_SIZE),
});
export const StateList = shape("StateList", { success: Success, states: Type.Array(UserState) });
