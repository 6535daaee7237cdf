import { SandboxError } from "../../errors/errors.ts";
import type { Answer, Hazard, Judgement, Kit } from "../hazards/hazard.ts";
import type { Subject } from "../subject/subscriber.ts";
import { isUnreachable } from "./exchange.ts";
import { refused, took } from "./judge.ts";
import type { StateProbe } from "./probe.ts";
import type { Sender } from "./send.ts";
import type { Supply } from "./supply.ts";

/** How many consecutive valid events must be rejected for the server to count as broken: one may be a coincidence. */
const CONTROLS = 2;

/** Checks whether the server still accepts valid events after a failed hazard, and restarts it if not. */
export interface Recovery {
  /** Sends plain valid events. @returns the last response if none was accepted; undefined if the server works */
  refusal(): Promise<Answer | undefined>;
  /** Restores the state from before the check, if possible. @returns whether it was possible */
  reset(): Promise<boolean>;
  /** Whether the server accepts this many plain events in sequence. */
  accepts(count: number): Promise<boolean>;
  /**
   * Restores the rows and restarts the server. Later events have new ids.
   * @returns `done`; null if the server was not started here and so cannot be restarted; or the start's error
   */
  restart(): Promise<"done" | SandboxError | null>;
}

export function createRecovery(
  { server, state }: Pick<Subject, "server" | "state">,
  trial: { sender: Sender; probe: StateProbe | undefined; supply: Supply; resets: boolean },
): Recovery {
  let sent = 0;
  let restarts = 0;

  async function reset(): Promise<boolean> {
    if (!server && state.resetBy === null) return false;
    await trial.probe?.rest();
    await state.reset();
    return true;
  }

  async function sendPlain(): Promise<Answer> {
    sent += 1;
    if (trial.resets) await reset();
    const { kit } = trial.supply;
    const answer = await trial.sender.send(
      kit.request("a plain event after it", kit.fresh(`control-${sent}`)),
    );
    await trial.probe?.rest();
    return answer;
  }

  return {
    async refusal() {
      let answer: Answer | undefined;
      for (let left = CONTROLS; left > 0; left -= 1) {
        answer = await sendPlain();
        if (answer.error === null) return undefined;
        if (isUnreachable(answer)) break;
      }
      return answer;
    },
    async accepts(count) {
      for (let left = count; left > 0; left -= 1) if ((await sendPlain()).error !== null) return false;
      return true;
    },
    reset,
    async restart() {
      if (!server) return null;
      restarts += 1;
      const { seed } = trial.supply.making;
      trial.supply = trial.supply.with({ seed: `${seed} after restart ${restarts}` });
      try {
        state.forget();
        await state.reset();
        // A user-defined reset does not restart the server.
        if (state.resetBy !== null) await server.restart();
        return "done";
      } catch (error) {
        if (!(error instanceof SandboxError) || error.code !== "unreachable") throw error;
        return error;
      }
    },
  };
}

/** Whether a server that rejects everything would give the same responses. */
const mayBeBroken = ({ mustAccept }: Hazard, answers: readonly Answer[]): boolean =>
  mustAccept === true
    ? answers.some(({ error }) => error !== null)
    : !answers.some(took) && answers.some((answer) => !refused(answer));

/** Whether a hazard may have failed only because the server rejects valid events, too. */
export const isDoubtful = (
  hazard: Hazard,
  { answers, judged }: { answers: readonly Answer[]; judged: Judgement },
): boolean => answers.some(isUnreachable) || (judged.verdict === "fail" && mayBeBroken(hazard, answers));

/** Splits a hazard into parts that can each be tried on a fresh server. */
export function partsOf(hazard: Hazard, kit: Kit): Hazard[] {
  const { together, standsAlone, requests } = hazard;
  if (together) {
    const [warmUp = 0, ...tries] = together;
    return tries.map((size, index) => {
      const from = tries.slice(0, index).reduce((sum, one) => sum + one, warmUp);
      const ofPart = (own: Kit) => [
        ...requests(own).slice(0, warmUp),
        ...requests(own).slice(from, from + size),
      ];
      return { ...hazard, together: [warmUp, size], requests: ofPart };
    });
  }
  if (standsAlone === undefined) return [hazard];
  const count = Math.max(1, requests(kit).length - standsAlone + 1);
  return Array.from({ length: count }, (_, from) => ({
    ...hazard,
    requests: (own) => requests(own).slice(from, from + standsAlone),
  }));
}
