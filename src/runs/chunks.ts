/**
 * The journal's events, read as OpenAI chunks.
 */

/**
 * Feeds a run's events to the `openai` package as one unbroken response, however often the
 * socket below was replaced. It never posts and its end never means Stop.
 */
export class ChunkReader {
  /**
   * @param onChunk - Called with each chunk, in order.
   */
  constructor(onChunk: (chunk: unknown) => void) {
    const body = new ReadableStream<Uint8Array>({
      start: controller => {
        this._controller = controller;
      }
    });
    this.finished = this._read(body, onChunk);
  }

  /** Resolves when all chunks were handed on; says why if they could not be. */
  readonly finished: Promise<string | null>;

  /** Add the data of one event. */
  push(data: string): void {
    const lines = data.split('\n').map(line => `data: ${line}\n`);
    this._controller.enqueue(this._encoder.encode(`${lines.join('')}\n`));
  }

  /** Say that no event follows. */
  close(): void {
    if (!this._closed) {
      this._closed = true;
      this._controller.close();
    }
  }

  private async _read(
    body: ReadableStream<Uint8Array>,
    onChunk: (chunk: unknown) => void
  ): Promise<string | null> {
    const { Stream } = await import('openai/streaming');
    const stream = Stream.fromSSEResponse<unknown>(
      new Response(body),
      new AbortController()
    );
    try {
      for await (const chunk of stream) {
        onChunk(chunk);
      }
    } catch (error) {
      // The server tells what went wrong with the run; this is only where reading ended.
      return error instanceof Error ? error.message : String(error);
    }
    return null;
  }

  private _closed = false;
  private _controller!: ReadableStreamDefaultController<Uint8Array>;
  private _encoder = new TextEncoder();
}
