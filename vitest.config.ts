/**
 * Four test projects over one local stack: the rules in plain Node, the Worker inside workerd, the
 * stand-ins against the real client packages, and the whole service on its deploy build.
 *
 * @module
 */
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

// Else the local runtime asks the network what a visitor from here looks like.
process.env["CLOUDFLARE_CF_FETCH_ENABLED"] = "false";
// wrangler warns of each secret that is not set. Every test gets the stack's own; what this shell holds must not get in.
for (const name of ["ADMIN_KEY", "DATABASE_URL", "UPSTASH_REDIS_REST_URL", "UPSTASH_REDIS_REST_TOKEN"]) {
  process.env[name] = "given by the stack";
}

export default defineConfig({
  test: {
    globalSetup: ["local/global-setup.ts"],
    // Far more than any test takes: what runs into it hangs, and a busy machine does not.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Most of the time of an end-to-end test is waiting: with two at once two processors are idle for two thirds of it.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: { name: "shared", include: ["shared/**/*.test.ts", "migrations/**/*.test.ts"], environment: "node" },
      },
      {
        extends: true,
        plugins: [
          cloudflareTest(({ inject }) => ({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: { bindings: { ...inject("workerBindings") } },
          })),
        ],
        test: { name: "worker", include: ["worker/**/*.test.ts", "worker/**/*.test.tsx"] },
      },
      {
        extends: true,
        test: {
          name: "local",
          include: ["local/**/*.test.ts"],
          // What needs a browser has a configuration of its own (`local/browser/vitest.config.ts`): whoever has just come need not have one.
          exclude: ["local/e2e/**", "local/browser/**"],
          environment: "node",
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["local/e2e/**/*.e2e.test.ts"],
          environment: "node",
        },
      },
    ],
  },
});
