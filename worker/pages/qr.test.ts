/**
 * What is drawn is read back: by another library, as a scanner would, from the pixels alone.
 *
 * @module
 */
import { decode as decodePng } from "fast-png";
import jsQr from "jsqr";
import { test } from "vitest";
import { drawPng, drawSvg, type ErrorCorrection, type Look, PLAIN_LOOK } from "./qr.ts";

type Color = readonly [number, number, number, number];
interface Pixels {
  readonly side: number;
  readonly at: (x: number, y: number) => Color;
}

const LEVELS: readonly ErrorCorrection[] = ["L", "M", "Q", "H"];
const SHORT = "https://go.example.com/7hKpQ2xyzab?qr";
const UNICODE = `https://go.example.com/${encodeURIComponent("größe-東京")}?qr`;
/** The longest there is: 64 characters of four bytes each, on the longest host. */
const longOn = (host: number) => `https://${"a".repeat(host)}/${encodeURIComponent("𝒜".repeat(64))}?qr`;
const LONGEST = longOn(253);
/** Less of it: at level L the longest would be of version 23, which jsQR 1.4.0 cannot read (its issue 251). */
const LONG = longOn(200);

/** The channels of `#rrggbb`. */
function colorOf(text: string): Color {
  const [red = 0, green = 0, blue = 0] = (text.match(/[\da-f]{2}/g) ?? []).map((pair) => Number.parseInt(pair, 16));
  return [red, green, blue, 255];
}

/** Paints an SVG of ours, a pixel a module: paths of `M x y h w v h h -w z` on an empty ground. */
function paint(svg: string): Pixels & { readonly size: string | undefined } {
  const side = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1]);
  const pixels = Array.from({ length: side * side }, (): Color => [0, 0, 0, 0]);
  for (const [, fill = "", path = ""] of svg.matchAll(/<path fill="(#[\da-f]{6})" d="([^"]*)"\/>/g)) {
    for (const [, x, y, width, height] of path.matchAll(/M(\d+) (\d+)h(\d+)v(\d+)(?:h-\3z|H0z)/g)) {
      for (let row = Number(y); row < Number(y) + Number(height); row += 1)
        for (let column = Number(x); column < Number(x) + Number(width); column += 1)
          pixels[row * side + column] = colorOf(fill);
    }
  }
  return { side, size: /width="(\d+)" height="\1"/.exec(svg)?.[1], at: (x, y) => pixels[y * side + x] ?? [0, 0, 0, 0] };
}

function unpack(bytes: Uint8Array): Pixels {
  const { width, height, depth, data, palette = [] } = decodePng(bytes);
  if (width !== height || depth !== 1) throw new Error(`${width} × ${height}, ${depth} bits`);
  const stride = Math.ceil(width / 8);
  return {
    side: width,
    at(x, y) {
      const byte = Number(data[y * stride + (x >> 3)]);
      const [red = 0, green = 0, blue = 0, alpha = 255] = palette[(byte >> (7 - (x & 7))) & 1] ?? [];
      return [red, green, blue, alpha];
    },
  };
}

/** What a scanner reads: on paper of `paper`'s colour, `zoom` times as large, with an edge of paper around it. */
function scan({ side, at }: Pixels, zoom: number, paper: Color = [255, 255, 255, 255]): string | undefined {
  const edge = 8;
  const width = (side + 2 * edge) * zoom;
  const rgba = new Uint8ClampedArray(width * width * 4);
  for (let y = 0; y < width; y += 1)
    for (let x = 0; x < width; x += 1) {
      const [column, row] = [Math.floor(x / zoom) - edge, Math.floor(y / zoom) - edge];
      const isInside = column >= 0 && row >= 0 && column < side && row < side;
      const color = isInside ? at(column, row) : paper;
      rgba.set(color[3] === 0 ? paper : color, (y * width + x) * 4);
    }
  return jsQr(rgba, width, width)?.data;
}

const look = (fields: Partial<Look>): Look => ({ ...PLAIN_LOOK, ...fields });

test.for(LEVELS.flatMap((level) => [SHORT, UNICODE, LONG].map((text) => [level, text.length, text] as const)))(
  "at level %s a text of %i characters is read back, from SVG and PNG",
  ([errorCorrection, , text], { expect }) => {
    expect(scan(paint(drawSvg(text, look({ errorCorrection }))), 4)).toBe(text);
    const drawn = drawPng(text, look({ errorCorrection, size: 600 }));
    if (drawn.kind !== "png") throw new Error(drawn.kind);
    expect(scan(unpack(drawn.bytes), 1)).toBe(text);
  },
);

test("more error correction takes more modules", ({ expect }) => {
  const sides = LEVELS.map((errorCorrection) => paint(drawSvg(LONGEST, look({ errorCorrection }))).side);
  expect(sides).toEqual(sides.toSorted((a, b) => a - b));
  expect(new Set(sides).size).toBe(LEVELS.length);
});

test.for([0, 1, 4, 16])("a margin of %i modules is empty, and nothing else is", (margin, { expect }) => {
  const svg = paint(drawSvg(SHORT, look({ margin })));
  const bare = paint(drawSvg(SHORT, look({ margin: 0 })));
  expect(svg.side).toBe(bare.side + 2 * margin);
  const light = colorOf(PLAIN_LOOK.background);
  for (let y = 0; y < svg.side; y += 1)
    for (let x = 0; x < svg.side; x += 1) {
      const [column, row] = [x - margin, y - margin];
      const isInside = column >= 0 && row >= 0 && column < bare.side && row < bare.side;
      if (svg.at(x, y).join() !== (isInside ? bare.at(column, row) : light).join()) expect.fail(`${x}, ${y}`);
    }
  const drawn = drawPng(SHORT, look({ margin, size: 300 }));
  if (drawn.kind !== "png") throw new Error(drawn.kind);
  expect(scan(unpack(drawn.bytes), 1)).toBe(SHORT);
});

test.for([64, 65, 100, 511, 1023, 2048])("a picture has the %i pixels that were asked for", (size, { expect }) => {
  expect(paint(drawSvg(SHORT, look({ size }))).size).toBe(String(size));
  const drawn = drawPng(SHORT, look({ size }));
  if (drawn.kind !== "png") throw new Error(drawn.kind);
  const pixels = unpack(drawn.bytes);
  expect(pixels.side).toBe(size);
  // A scanner sees the smallest ones larger than a pixel a module.
  expect(scan(pixels, size < 128 ? 4 : 1)).toBe(SHORT);
});

test("a PNG in which a module would be less than a pixel is not drawn", ({ expect }) => {
  const least = paint(drawSvg(LONGEST, look({}))).side;
  expect(drawPng(LONGEST, look({ size: least - 1 }))).toEqual({ kind: "too_small", least });
  const drawn = drawPng(LONGEST, look({ size: least }));
  if (drawn.kind !== "png") throw new Error(drawn.kind);
  expect(scan(unpack(drawn.bytes), 4)).toBe(LONGEST);
});

test.for([
  ["#1a2b3c", "#ffeedd"],
  ["#ffffff", "#00264d"],
  ["#aa0000", "transparent"],
] as const)("%s on %s is what is drawn, and is read", ([color, background], { expect }) => {
  const paper: Color = background === "transparent" ? [240, 250, 240, 255] : colorOf(background);
  const drawn = drawPng(SHORT, look({ color, background, size: 300 }));
  if (drawn.kind !== "png") throw new Error(drawn.kind);
  for (const pixels of [paint(drawSvg(SHORT, look({ color, background }))), unpack(drawn.bytes)]) {
    const seen = new Set<string>();
    for (let y = 0; y < pixels.side; y += 1) for (let x = 0; x < pixels.side; x += 1) seen.add(pixels.at(x, y).join());
    const ground = background === "transparent" ? expect.stringMatching(/,0$/) : colorOf(background).join();
    expect([...seen]).toEqual([ground, colorOf(color).join()]);
    expect(scan(pixels, pixels.side < 128 ? 4 : 1, paper)).toBe(SHORT);
  }
});
