/**
 * Questions as RFC 1035 has them, and answers of any kind: what cannot be read says nothing, and nothing makes the reader fail.
 *
 * @module
 */
import * as fc from "fast-check";
import { test } from "vitest";
import { type AddressRecord, readAddresses, writeQuestion } from "./dns-message.ts";

const bytes = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/[\da-f]{2}/g) ?? [], (pair) => Number.parseInt(pair, 16));
const read = (hex: string, record: AddressRecord = "A") => readAddresses(bytes(hex), record);

/** RFC 8484, section 4.1.1: the question for `www.example.com`, which has the id 0. */
const QUESTION = "00000100000100000000000003777777076578616d706c6503636f6d0000010001";
/** The same section's answer (4.2.2) in its AAAA form: one address under a pointer to the question's name. */
const SIX =
  "00008180000100010000000003777777076578616d706c6503636f6d00001c0001c00c001c000100000e7d001020010db8abcd00120001000200030004";
/** An alias (CNAME) to `b.example`, then its two addresses, the second under a pointer. */
const CHAIN =
  "000081800001000300000000016103636f6d0000010001" +
  "c00c000500010000003c000b0162076578616d706c6500" +
  "0162076578616d706c6500000100010000003c00047f000001" +
  "c029000100010000003c000401010101";

test("a question has the form that RFC 8484 shows", ({ expect }) => {
  expect(writeQuestion("www.example.com", "A")).toEqual(bytes(QUESTION));
  expect(writeQuestion("www.example.com", "AAAA")).toEqual(bytes(`${QUESTION.slice(0, -8)}001c0001`));
});

test.for(["", "a..b", ".a", `${"a".repeat(64)}.com`, `${"a.".repeat(127)}com`, "bücher.example", "a b.example"])(
  "%j is no name that the DNS can have",
  (name, { expect }) => {
    expect(writeQuestion(name, "A")).toBeNull();
  },
);

test("addresses are read behind aliases and pointers, those of the other kind left out", ({ expect }) => {
  expect(read(SIX, "AAAA")).toEqual({
    ok: true,
    addresses: [[0x20, 0x01, 0x0d, 0xb8, 0xab, 0xcd, 0, 0x12, 0, 1, 0, 2, 0, 3, 0, 4]],
  });
  expect(read(SIX, "A")).toEqual({ ok: true, addresses: [] });
  expect(read(CHAIN)).toEqual({
    ok: true,
    addresses: [
      [127, 0, 0, 1],
      [1, 1, 1, 1],
    ],
  });
});

test("a name that does not exist has no addresses; any other failure says nothing of it", ({ expect }) => {
  expect(read("000081830001000000000000")).toEqual({ ok: true, addresses: [] });
  for (const rcode of [1, 2, 4, 5, 15]) {
    expect(read(`0000818${rcode.toString(16)}0001000000000000`)).toMatchObject({ ok: false });
  }
  expect(read(QUESTION)).toEqual({ ok: false, fault: "it is no answer" });
  expect(read(`0000838${CHAIN.slice(7)}`)).toEqual({ ok: false, fault: "it is cut short" });
});

test("an answer that ends anywhere before its end says nothing", ({ expect }) => {
  const whole = bytes(CHAIN);
  for (let end = 0; end < whole.length; end += 1) expect(readAddresses(whole.subarray(0, end), "A").ok).toBe(false);
});

test("no bytes make the reader fail, and every address that it finds has the right size", ({ expect }) => {
  const message = fc
    .tuple(fc.uint8Array({ maxLength: 200 }), fc.boolean())
    .map(([tail, isAnswer]) => (isAnswer ? Uint8Array.from([...bytes("0000818000010003"), ...tail]) : tail));
  fc.assert(
    fc.property(message, (some) => {
      const answer = readAddresses(some, "AAAA");
      if (answer.ok) expect(answer.addresses.every((address) => address.length === 16)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});
