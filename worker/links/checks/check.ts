/**
 * Asks what can only be known from others before a link is made: where the names of its destinations lead (DNS), and whether their URLs
 * are on a list of dangerous ones. Each is off until an operator switches it on. Who cannot be asked in time refuses nothing.
 *
 * @module
 */
import { LRUCache } from "lru-cache";
import type { Destination } from "../../../shared/destinations.ts";
import { judgeListed, judgeResolved, nameToResolve, type UrlRefusal } from "../../../shared/url-policy.ts";
import type { Resolve } from "../../backends/dns.ts";
import type { FindLists } from "../../backends/reputation.ts";
import { log } from "../../telemetry/log.ts";
import { type Refused, refusedAt } from "../settings.ts";

/** Who is asked, handed in. */
export interface CheckParts {
  /** Null: names are not looked up. */
  readonly resolve: Resolve | null;
  /** Null: no reputation service is asked. */
  readonly findLists: FindLists | null;
  /** So many calls go out at most, whatever the number of links. */
  readonly maxCalls: number;
  /** How long all of it may take. */
  readonly limitMs: number;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** A number from 0 to 1, without 1. */
  readonly dice: () => number;
}

/** What is known of a link's destinations. `unchecked`: of one of them somebody could not be asked, and nobody refused one. */
export type Checked = { readonly kind: "clear" } | { readonly kind: "unchecked" } | Refused;

/** Checks the destinations of some links; answers in their order. Never rejects. */
export type CheckDestinations = (links: readonly (readonly Destination[])[]) => Promise<readonly Checked[]>;

/** A Worker has six connections that wait for an answer (Cloudflare, "Simultaneous open connections"). */
const AT_ONCE = 5;
/** An answer is believed for this long: for a caller who asks again at once, and for lists of links to the same place. */
const REMEMBERED_MS = 30_000;
/** In characters of what was asked, which is most of what an answer takes. */
const REMEMBERED_CHARACTERS = 500_000;
/** What an answer takes beside that. */
const ANSWER_CHARACTERS = 200;

/** One call to be made, and how its answer is judged. Two links that lead to one place have it in common. */
interface Question {
  readonly key: string;
  readonly ask: (signal: AbortSignal) => Promise<UrlRefusal | null>;
}

/** What is wrong with what was asked for, or null. */
interface Answer {
  readonly refusal: UrlRefusal | null;
}

/** Builds it, with the memory of an isolate. */
export function createCheck(parts: CheckParts): CheckDestinations {
  const remembered = new LRUCache<string, Answer & { readonly until: number }>({
    maxSize: REMEMBERED_CHARACTERS,
    sizeCalculation: (_, key) => key.length + ANSWER_CHARACTERS,
  });
  return async (links) => {
    const asked = links.map((destinations) =>
      destinations.map(({ path, url }) => ({ path, questions: questionsOf(parts, url) })),
    );
    const answers = new Map<string, Answer>();
    const open = new Map<string, Question>();
    const now = parts.clock();
    for (const question of asked.flat().flatMap(({ questions }) => questions)) {
      const answer = remembered.get(question.key);
      if (answer !== undefined && now < answer.until) answers.set(question.key, answer);
      else open.set(question.key, question);
    }
    const failure = await askAll(someOf([...open.values()], parts), parts.limitMs, (key, answer) => {
      answers.set(key, answer);
      remembered.set(key, { ...answer, until: now + REMEMBERED_MS });
    });
    const checked = asked.map((destinations) => judge(destinations, answers));
    const unchecked = checked.filter(({ kind }) => kind === "unchecked").length;
    if (unchecked > 0) log("warn", "urls_unchecked", { links: unchecked, of: links.length }, failure);
    return checked;
  };
}

/** What is to be asked about a URL. Both kinds of address, since a visitor's browser takes either. */
function questionsOf({ resolve, findLists }: CheckParts, url: string): readonly Question[] {
  const questions: Question[] = [];
  const name = resolve === null ? null : nameToResolve(url);
  if (resolve !== null && name !== null) {
    for (const record of ["A", "AAAA"] as const) {
      const ask = async (signal: AbortSignal) => judgeResolved(name, await resolve(name, record, signal));
      questions.push({ key: `${record} ${name}`, ask });
    }
  }
  if (findLists !== null && /^https?:/.test(url)) {
    // What stands behind the # is never sent to the destination's server either.
    const [page = url] = url.split("#");
    questions.push({ key: page, ask: async (signal) => judgeListed(await findLists(page, signal)) });
  }
  return questions;
}

/** As many as may be asked. Of more than that, others each time: so all have their turn when they are asked for again. */
function someOf(questions: readonly Question[], { maxCalls, dice }: CheckParts): readonly Question[] {
  if (questions.length <= maxCalls) return questions;
  const start = Math.floor(dice() * questions.length);
  return [...questions.slice(start), ...questions.slice(0, start)].slice(0, maxCalls);
}

/** Asks them, a few at a time, and hands on what is answered in time. Answers the first failure, or undefined. */
async function askAll(
  questions: readonly Question[],
  limitMs: number,
  keep: (key: string, answer: Answer) => void,
): Promise<unknown> {
  if (questions.length === 0) return undefined;
  const signal = AbortSignal.timeout(limitMs);
  let failure: unknown;
  // Each of these takes the next one that nobody took, so one that is slow holds up no other.
  const queue = questions.values();
  const work = async (): Promise<void> => {
    for (const { key, ask } of queue) {
      if (signal.aborted) return;
      try {
        keep(key, { refusal: await ask(signal) });
      } catch (error) {
        failure ??= error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, questions.length) }, work));
  return failure;
}

/** One refusal is enough, also where something else could not be asked. */
function judge(
  destinations: readonly { readonly path: string; readonly questions: readonly Question[] }[],
  answers: ReadonlyMap<string, Answer>,
): Checked {
  let isWhole = true;
  for (const { path, questions } of destinations) {
    for (const { key } of questions) {
      const answer = answers.get(key);
      if (answer === undefined) isWhole = false;
      else if (answer.refusal !== null) return refusedAt(path, answer.refusal);
    }
  }
  return { kind: isWhole ? "clear" : "unchecked" };
}
