import type { Diagnosis } from "../../webhooks/diagnosis/diagnose.ts";

/** How to make a story use times that a server may compare with its own clock. */
export const AT_NOW = "subject.at: now in the configuration sends those of your machine.";

/** The result of a diagnosis, in sentences. */
export const diagnosisWords = ({ cause, fix }: Diagnosis): string => `${cause} ${fix}`;
