/**
 * Four test projects over one local stack: the rules in plain Node, the Worker inside workerd, the
 * stand-ins against the real client packages, and the whole service on its deploy build.
 *
 * @module
 */
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["local/global-setup.ts"],
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
        test: { name: "local", include: ["local/**/*.test.ts"], exclude: ["local/e2e/**"], environment: "node" },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["local/e2e/**/*.e2e.test.ts"],
          environment: "node",
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
