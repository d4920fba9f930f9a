/**
 * The tests that need a browser, which `npm test` does not: whoever has just come need not have one. `.ci/run` installs it.
 *
 *   npx vitest run --config local/browser/vitest.config.ts
 *
 * @module
 */
import { defineConfig } from "vitest/config";

// Else the local runtime asks the network what a visitor from here looks like.
process.env["CLOUDFLARE_CF_FETCH_ENABLED"] = "false";

export default defineConfig({
  test: {
    name: "browser",
    include: ["local/browser/**/*.browser.test.ts"],
    globalSetup: ["local/global-setup.ts"],
    environment: "node",
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
