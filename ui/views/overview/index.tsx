import { useApp } from "../../components/context.ts";
import { Button } from "../../components/parts.tsx";
import { useDialog } from "../../components/use-dialog.ts";
import { EndpointBoard } from "./board.tsx";
import { Doors } from "./doors.tsx";
import { Latest } from "./latest.tsx";
import "./overview.css";
import { ResetDialog } from "./reset.tsx";

/** The home: what to do here, what just happened, and how each endpoint is. */
export default function Overview() {
  const { status } = useApp();
  const resetting = useDialog();
  const { organization } = status.value;
  return (
    <div class="view overview">
      <header class="view-head">
        <div>
          <h1>{organization.name}</h1>
          <p class="note">
            A whole payments platform on this machine. <a href="#/connect">Connect your code to it</a>
          </p>
        </div>
        <Button onClick={() => resetting.open(true)}>Reset the world…</Button>
      </header>
      <Doors />
      <div class="split home">
        <EndpointBoard />
        <Latest />
      </div>
      {resetting.target.value && <ResetDialog onClose={resetting.close} />}
    </div>
  );
}
