/**
 * What `global-setup.ts` tells the tests of every project.
 *
 * @module
 */

// oxlint-disable-next-line import/no-unassigned-import -- an augmentation needs the module that it augments
import "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the stack is. */
    readonly stack: {
      readonly databaseUrl: string;
      readonly databaseEndpoint: string;
      readonly postgresUrl: string;
      readonly postgresConnections: number;
      readonly redisUrl: string;
      readonly redisToken: string;
      readonly faultUrls: { readonly postgres: string; readonly redis: string };
    };
    /** The variables that make a Worker use it. */
    readonly workerBindings: Record<string, string>;
  }
}
