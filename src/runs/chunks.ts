/** Reads the journal's events as OpenAI chunks. */
import { errorMessage } from '../base/errors';

/**
 * Feeds a run's events to the `openai` package as one unbroken response, however often the
 * underlying socket was replaced. It never posts, and closing it never means Stop.
 */
export class ChunkReader {
  /**
   * @param onChunk - Called with each chunk, in order.
   * @param load - Loads the package, which is only fetched for the first run.
   */
  constructor(
    onChunk: (chunk: unknown) => void,
    load: ChunkReader.Load = () => import('openai/streaming')
  ) {
    const body = new ReadableStream<Uint8Array>({
      start: controller => {
        this._controller = controller;
      }
    });
    this.finished = this._read(body, onChunk, load).catch((error: unknown) => {
      // The server reports what went wrong with the run; this is only where reading stopped.
      this._closed = true;
      return errorMessage(error);
    });
  }

  /** Resolves when all chunks were delivered, with the reason if they could not be. */
  readonly finished: Promise<string | null>;

  /** The data of events that were not delivered yet; they stay here if reading stopped early. */
  get unread(): readonly string[] {
    return this._unread;
  }

  /**
   * Add the data of one event. Events added in the same task are passed on together: a reply that
   * is opened in the middle arrives as thousands of events.
   */
  push(data: string): void {
    this._unread.push(data);
    if (!this._waiting) {
      queueMicrotask(() => this._flush());
    }
    const lines = data.split('\n').map(line => `data: ${line}\n`);
    this._waiting += `${lines.join('')}\n`;
  }

  /** Signal that no more events follow. */
  close(): void {
    this._flush();
    if (!this._closed) {
      this._closed = true;
      this._controller.close();
    }
  }

  private _flush(): void {
    if (this._waiting && !this._closed) {
      this._controller.enqueue(this._encoder.encode(this._waiting));
    }
    this._waiting = '';
  }

  private async _read(
    body: ReadableStream<Uint8Array>,
    onChunk: (chunk: unknown) => void,
    load: ChunkReader.Load
  ): Promise<null> {
    const { Stream } = await load();
    const stream = Stream.fromSSEResponse<unknown>(
      new Response(body),
      new AbortController()
    );
    for await (const chunk of stream) {
      this._unread.shift();
      onChunk(chunk);
    }
    return null;
  }

  private _closed = false;
  private _controller!: ReadableStreamDefaultController<Uint8Array>;
  private _encoder = new TextEncoder();
  private _unread: string[] = [];
  private _waiting = '';
}

/**
 * The namespace for `ChunkReader` statics.
 */
export namespace ChunkReader {
  /** Loads the part of the `openai` package that reads streams. */
  export type Load = () => Promise<
    Pick<typeof import('openai/streaming'), 'Stream'>
  >;
}
