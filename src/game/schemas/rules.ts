import { Type } from "typebox";
import { MAX_TRIGGER_LENGTH } from "../limits.ts";
import { ACTION_KINDS } from "../rules/rule.ts";
import { launcherBody, Nonce, Success } from "./common.ts";

export const TriggerRulesEngine = launcherBody("TriggerRulesEngine", {
  trigger: Type.String({ minLength: 1, maxLength: MAX_TRIGGER_LENGTH, examples: ["level-complete"] }),
  value: Type.Optional(Type.Number({ description: "What conditions of rules look at." })),
  nonce: Type.Optional({ ...Nonce, description: "The same trigger with the same nonce runs once." }),
});
export const TriggerResult = Type.Object(
  {
    success: Success,
    triggerUuid: Type.String(),
    actions: Type.Array(Type.Unsafe<string>({ type: "string", enum: [...ACTION_KINDS] }), {
      description: "What rules did, in order; nothing when no rule fired.",
    }),
  },
  { title: "TriggerResult" },
);
