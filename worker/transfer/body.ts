/**
 * The body of an import, which somebody may stop reading before its end.
 *
 * @module
 */

/** A body that is read piece by piece, and what reads its rest. */
export interface DrainableBody {
  /** Cancelling it leaves the rest unread. */
  readonly body: ReadableStream<Uint8Array>;
  /** Reads what is left, and keeps none of it. Never rejects: whoever sends may have gone. */
  readonly drain: () => Promise<void>;
}

/** Takes a body over. */
export function openBody(sent: ReadableStream<Uint8Array>): DrainableBody {
  const reader = sent.getReader();
  return {
    body: new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        },
      },
      { highWaterMark: 0 },
    ),
    async drain() {
      try {
        while (!(await reader.read()).done);
      } catch {
        // Nobody is left to be told.
      }
    },
  };
}
