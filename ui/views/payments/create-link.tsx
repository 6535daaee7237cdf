import { useSignal } from "@preact/signals";
import { ApiError } from "../../api.ts";
import { useApp } from "../../components/context.ts";
import { Field, Select } from "../../components/field.tsx";
import { Button, Problem } from "../../components/parts.tsx";
import { TOKENS } from "../../models/payments/money.ts";
import { href } from "../../models/router.ts";

/** A new payment link. */
export function CreateLink() {
  const { api, router, toasts } = useApp();
  const name = useSignal("");
  const amount = useSignal("12.50");
  const token = useSignal(TOKENS[0]!.key);
  const uses = useSignal("");
  const error = useSignal<ApiError | Error | undefined>(undefined);

  const create = async () => {
    try {
      const chosen = TOKENS.find(({ key }) => key === token.value)!;
      const units = amount.value.trim() === "" ? undefined : chosen.parse(amount.value);
      if (amount.value.trim() !== "" && units === undefined)
        throw new ApiError(400, { message: `This is no amount of ${chosen.symbol}.`, param: "amount" });
      const made = await api.createLink({
        name: name.value,
        ...(units === undefined ? {} : { amount: units }),
        chain_id: chosen.chain_id,
        token_address: chosen.token_address,
        ...(uses.value.trim() === "" ? {} : { max_uses: Number(uses.value) }),
      });
      toasts.done("The payment link is there.");
      router.go(href(["payments", "links", made.id]));
    } catch (reason) {
      error.value = reason as Error;
    }
  };

  const at = error.value instanceof ApiError ? error.value : undefined;
  const errorOf = (field: string) => (at?.param === field ? at.message : undefined);
  const elsewhere = error.value && !["name", "amount", "max_uses"].includes(at?.param ?? "");
  return (
    <form
      class="view narrow"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <header class="view-head">
        <div>
          <p class="note">
            <a href="#/payments/links">Payment links</a>
          </p>
          <h1>New payment link</h1>
        </div>
      </header>
      <div class="card stack">
        <Field
          label="Name"
          value={name.value}
          error={errorOf("name")}
          placeholder="House espresso, 1 kg"
          onInput={(text) => {
            name.value = text;
          }}
        />
        <Select
          label="Token"
          value={token.value}
          options={TOKENS.map(({ key, title }) => [key, title] as const)}
          onChange={(next) => {
            token.value = next;
          }}
        />
        <Field
          label="Amount"
          value={amount.value}
          error={errorOf("amount")}
          hint="Left empty, the payer chooses."
          onInput={(text) => {
            amount.value = text;
          }}
        />
        <Field
          label="Most uses"
          value={uses.value}
          error={errorOf("max_uses")}
          hint="Left empty, there is no limit."
          onInput={(text) => {
            uses.value = text.replace(/\D/g, "");
          }}
        />
        {elsewhere && error.value && <Problem error={error.value} />}
        <div class="actions">
          <Button look="main" type="submit">
            Create link
          </Button>
          <a href="#/payments/links">Cancel</a>
        </div>
      </div>
    </form>
  );
}
