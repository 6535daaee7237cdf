/**
 * A model of the rules for webhook deliveries, written independently of the code under test. Everything that happens is
 * an entry in one agenda; a timeout ends 30 s after its start, everything else immediately.
 */

export type Behaviour = "ok" | "fail" | "timeout";
export type Command =
  | { do: "behave"; as: Behaviour }
  | { do: "pay" | "enable" | "disable" | "delete" | "test" }
  | { do: "advance"; ms: number }
  | { do: "retry" | "resend"; nth: number };

export interface ModelAttempt {
  event: number;
  attempt: number;
  trigger: "automatic" | "manual" | "test" | "resend";
  at: number;
  result: "pending" | "success" | "failed";
}

const DELAYS = [60_000, 600_000, 3_600_000];

export class Model {
  now = 0;
  status: "enabled" | "disabled" | "deleted" = "enabled";
  failures = 0;
  mails = 0;
  attempts: ModelAttempt[] = [];
  behaviour: Behaviour = "ok";
  /** For each event, whether its retry schedule has ended. */
  private over: boolean[] = [];
  private agenda: { due: number; retryOf?: ModelAttempt; timeoutOf?: ModelAttempt }[] = [];

  /** The pending retries, the earliest first. */
  get pending(): { event: number; attempt: number; due: number }[] {
    return this.sorted()
      .filter((entry) => entry.retryOf)
      .map(({ due, retryOf }) => ({ event: retryOf!.event, attempt: retryOf!.attempt + 1, due }));
  }

  /** Runs a command. Returns false if the command is rejected. */
  run(command: Command): boolean {
    if (command.do === "advance") this.advance(this.now + command.ms);
    else if (command.do === "pay") {
      const event = this.over.push(this.status !== "enabled") - 1;
      if (!this.over[event]) this.settle([this.begin(event, 1, "automatic")]);
    } else if (this.status === "deleted") return false;
    else if (command.do === "behave") this.behaviour = command.as;
    else if (command.do === "test") this.settle([this.begin(-1, 1, "test")]);
    else if (command.do === "retry") return this.retry(command.nth);
    else if (command.do === "resend") return this.resend(command.nth);
    else if (command.do === "delete") this.stop("deleted");
    else if (command.do === "disable") return this.status === "enabled" && this.stop("disabled");
    else if (this.status === "enabled") return false;
    else [this.status, this.failures] = ["enabled", 0];
    return true;
  }

  private retry(nth: number): boolean {
    const target = this.attempts[nth % this.attempts.length];
    if (target?.result !== "failed" || target.trigger === "test" || target.trigger === "resend") return false;
    const busy = (one: ModelAttempt) => one.event === target.event && one.trigger === "manual";
    if (this.attempts.some((one) => busy(one) && one.result === "pending")) return false;
    this.settle([this.begin(target.event, target.attempt, "manual")]);
    return true;
  }

  private resend(nth: number): boolean {
    const target = this.attempts[nth % this.attempts.length];
    if (!target || target.trigger === "test") return false;
    const arrived = ({ event, result }: ModelAttempt) => event === target.event && result === "success";
    if (!this.attempts.some(arrived)) return false;
    this.settle([this.begin(target.event, target.attempt, "resend")]);
    return true;
  }

  private begin(event: number, attempt: number, trigger: ModelAttempt["trigger"]): ModelAttempt {
    const begun = { event, attempt, trigger, at: this.now, result: "pending" as const };
    this.attempts.push(begun);
    return begun;
  }

  private settle(begun: ModelAttempt[]): void {
    for (const attempt of begun) {
      if (this.behaviour === "timeout") this.agenda.push({ due: this.now + 30_000, timeoutOf: attempt });
      else this.end(attempt, this.behaviour === "ok");
    }
  }

  private end(attempt: ModelAttempt, ok: boolean): void {
    attempt.result = ok ? "success" : "failed";
    if (attempt.trigger === "test" || attempt.trigger === "resend") return;
    this.failures = ok ? 0 : this.failures + 1;
    if (ok) this.finish(attempt.event);
    if (!ok && this.failures >= 10 && this.status === "enabled") {
      this.stop("disabled");
      this.mails += 1;
    }
    if (attempt.trigger === "manual" || this.over[attempt.event]) return;
    if (attempt.attempt === 4 || this.status !== "enabled") this.finish(attempt.event);
    else this.agenda.push({ due: this.now + DELAYS[attempt.attempt - 1]!, retryOf: attempt });
  }

  private finish(event: number): void {
    this.over[event] = true;
    this.agenda = this.agenda.filter((entry) => entry.retryOf?.event !== event);
  }

  private stop(status: "disabled" | "deleted"): true {
    this.status = status;
    for (const { event } of this.pending) this.finish(event);
    return true;
  }

  private sorted = () => [...this.agenda].sort((a, b) => a.due - b.due);

  private advance(target: number): void {
    for (let next = this.sorted()[0]; next && next.due <= target; next = this.sorted()[0]) {
      this.now = next.due;
      const instant = this.sorted().filter(({ due }) => due === this.now);
      this.agenda = this.agenda.filter(({ due }) => due !== this.now);
      const retried = instant.flatMap(({ retryOf }) => (retryOf ? [retryOf] : []));
      const begun = retried.map(({ event, attempt }) => this.begin(event, attempt + 1, "automatic"));
      for (const { timeoutOf } of instant) if (timeoutOf) this.end(timeoutOf, false);
      this.settle(begun);
    }
    this.now = target;
  }
}
