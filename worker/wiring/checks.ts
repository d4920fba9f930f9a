/**
 * Builds the checks of destinations, for whoever makes links and for cron.
 *
 * @module
 */
import { type Breaker, createBreaker, NO_BREAKER } from "../backends/breaker.ts";
import { createResolve } from "../backends/dns.ts";
import { createFindLists } from "../backends/reputation.ts";
import type { Config } from "../config.ts";
import { type CheckDestinations, createCheck } from "../links/checks/check.ts";

/** How long whoever makes a link waits for all checks. */
const LIMIT_MS = 2000;
/** Nobody waits for cron. */
const PATIENT_LIMIT_MS = 5000;
/** One name is asked for both kinds of address; one URL is one question. */
const CALLS_A_NAME = 2;

type Settings = Config["urlChecks"];

const clock = (): number => Date.now();

/** For whoever waits for an answer; null: nobody is to be asked. */
export function wireCheck(settings: Settings): CheckDestinations | null {
  return checkOf(settings, createBreaker, LIMIT_MS);
}

/** For cron, which asks whatever others met before; and for how many links a run has calls. */
export function wirePatientCheck(settings: Settings): {
  readonly check: CheckDestinations;
  readonly limit: number;
} | null {
  const check = checkOf(settings, () => NO_BREAKER, PATIENT_LIMIT_MS);
  if (check === null) return null;
  const callsALink = (settings.dnsUrl === null ? 0 : CALLS_A_NAME) + (settings.reputation === null ? 0 : 1);
  return { check, limit: Math.floor(settings.maxCalls / callsALink) };
}

function checkOf(
  { dnsUrl, reputation, maxCalls }: Settings,
  breakerOf: (backend: string) => Breaker,
  limitMs: number,
): CheckDestinations | null {
  if (dnsUrl === null && reputation === null) return null;
  const resolve = dnsUrl === null ? null : createResolve(dnsUrl, breakerOf("dns"), clock);
  const findLists = reputation === null ? null : createFindLists(reputation, breakerOf("reputation"), clock);
  return createCheck({ resolve, findLists, maxCalls, limitMs, clock, dice: Math.random });
}
