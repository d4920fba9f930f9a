/**
 * Draws QR codes (ISO/IEC 18004) as SVG or PNG. Loaded when somebody wants one.
 *
 * The modules come from `uqr`; `fast-png` writes the PNG, two colours in one bit a pixel.
 *
 * @module
 */
import { encode as encodePng } from "fast-png";
import { encode as encodeQr } from "uqr";

/** How much of the code may be missing or dirty: 7, 15, 25 or 30 %. */
export type ErrorCorrection = "L" | "M" | "Q" | "H";

/** What a picture of a code looks like. */
export interface Look {
  /** Width and height in pixels, margins included. */
  readonly size: number;
  /** The quiet zone around the code, in modules on each side. */
  readonly margin: number;
  readonly errorCorrection: ErrorCorrection;
  /** Of the modules, as `#rrggbb`. */
  readonly color: string;
  /** The same, or `transparent`. */
  readonly background: string;
}

/** Black on white, with the quiet zone that the standard asks for (section 6.3.8: four modules). */
export const PLAIN_LOOK: Look = {
  size: 512,
  margin: 4,
  errorCorrection: "M",
  color: "#000000",
  background: "#ffffff",
};

/** Draws `text` as an SVG image. The colours are written as they are, so they must be what {@link Look} says. */
export function drawSvg(text: string, look: Look): string {
  const { size, margin, color, background } = look;
  const rows = modulesOf(text, look);
  const side = rows.length + 2 * margin;
  const ground = background === "transparent" ? "" : `<path fill="${background}" d="M0 0h${side}v${side}H0z"/>`;
  const bars = rows.flatMap((row, y) => runsOf(row).map(([x, length]) => barAt(x + margin, y + margin, length)));
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${side} ${side}" ` +
    `shape-rendering="crispEdges">${ground}<path fill="${color}" d="${bars.join("")}"/></svg>`
  );
}

/** A PNG, or the least size in pixels at which a module is a whole pixel. */
export type PngDrawn =
  | { readonly kind: "png"; readonly bytes: Uint8Array }
  | { readonly kind: "too_small"; readonly least: number };

/** Draws `text` as a PNG. Each module is a square of whole pixels; what is left of the size goes into the margins. */
export function drawPng(text: string, look: Look): PngDrawn {
  const { size, margin, color, background } = look;
  const rows = modulesOf(text, look);
  const least = rows.length + 2 * margin;
  const scale = Math.floor(size / least);
  if (scale === 0) return { kind: "too_small", least };

  const stride = Math.ceil(size / 8);
  const data = new Uint8Array(stride * size);
  const start = Math.floor((size - rows.length * scale) / 2);
  for (const [y, row] of rows.entries()) {
    const line = new Uint8Array(stride);
    for (const [x, length] of runsOf(row)) fillBits(line, start + x * scale, length * scale);
    for (let copy = 0; copy < scale; copy += 1) data.set(line, (start + y * scale + copy) * stride);
  }
  const palette = [channelsOf(background), channelsOf(color)];
  const png = encodePng({ width: size, height: size, data, channels: 1, depth: 1, palette });
  return { kind: "png", bytes: png };
}

function modulesOf(text: string, { errorCorrection }: Look): readonly (readonly boolean[])[] {
  return encodeQr(text, { ecc: errorCorrection, border: 0 }).data;
}

/** Where dark modules begin in a row, and how many there are one after the other. */
function runsOf(row: readonly boolean[]): readonly (readonly [number, number])[] {
  const runs: [number, number][] = [];
  for (const [x, isDark] of row.entries()) {
    if (!isDark) continue;
    const last = runs.at(-1);
    if (last !== undefined && last[0] + last[1] === x) last[1] += 1;
    else runs.push([x, 1]);
  }
  return runs;
}

function barAt(x: number, y: number, length: number): string {
  return `M${x} ${y}h${length}v1h-${length}z`;
}

/** Sets bits; the first pixel is the highest bit of its byte (PNG, section 7.2). */
function fillBits(line: Uint8Array, from: number, count: number): void {
  for (let at = from; at < from + count; at += 1) line[at >> 3] = (line[at >> 3] ?? 0) | (0x80 >> (at & 7));
}

/** Red, green, blue and opacity, 0 to 255 each. */
function channelsOf(color: string): number[] {
  if (color === "transparent") return [255, 255, 255, 0];
  const rgb = Number.parseInt(color.slice(1), 16);
  return [rgb >> 16, (rgb >> 8) & 255, rgb & 255, 255];
}
