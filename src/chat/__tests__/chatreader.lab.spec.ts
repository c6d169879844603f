import { Context } from '@jupyterlab/docregistry';
import { NotebookModelFactory } from '@jupyterlab/notebook';
import {
  ContentsManager,
  Drive,
  RestContentProvider,
  ServerConnection
} from '@jupyterlab/services';
import { PromiseDelegate } from '@lumino/coreutils';

import type { IReading } from '../../base/run';
import { TurnbookAPI } from '../../runs/api';
import { Chats } from '../../session/__tests__/chats';
import { NO_KERNELS } from '../../session/__tests__/tabs';
import { emptyChat } from '../../document/chatfile';
import { ChatReader, quickReading } from '../chatreader';

const chats = new Chats();
const WHOLE = { type: 'notebook', content: true, hash: true } as const;

const OURS = ['GET file', 'GET reading'];

/** What a request asks for. */
let asked: string[] = [];

/** @param place - Where the contents API is, for the page. */
function settings(place = 'api/contents'): ServerConnection.ISettings {
  const { baseUrl, token } = chats.server;
  return ServerConnection.makeSettings({
    baseUrl,
    token,
    fetch: async (input: RequestInfo, init?: RequestInit) => {
      const request = new Request(input, init);
      const { pathname, searchParams } = new URL(request.url);
      const type = pathname.endsWith('/files/reading')
        ? 'reading'
        : (searchParams.get('type') ?? '');
      const isElsewhere = type !== 'reading' && !pathname.includes(place);
      asked.push(`${request.method} ${isElsewhere ? pathname : type}`.trim());
      return fetch(
        new Request(request.url.replace(place, 'api/contents'), request)
      );
    }
  });
}

function both(
  getReading?: () => Promise<IReading>
): [RestContentProvider, ChatReader] {
  const serverSettings = settings();
  const usual = new RestContentProvider({
    apiEndpoint: 'api/contents',
    serverSettings
  });
  const api = getReading ? { getReading } : new TurnbookAPI({ serverSettings });
  return [usual, new ChatReader({ api, usual })];
}

async function write(path: string, text: string | Buffer): Promise<void> {
  const [rest] = both();
  const isText = typeof text === 'string';
  await rest.save(path, {
    type: 'file',
    format: isText ? 'text' : 'base64',
    content: isText ? text : text.toString('base64')
  } as any);
  asked = [];
}

/** Write a chat that the user trusts. */
async function sign(path: string): Promise<void> {
  const [rest] = both();
  const content = JSON.parse(
    chat(({ cells }) => (cells[1].metadata.trusted = true))
  );
  await rest.save(path, { type: 'notebook', format: 'json', content });
  asked = [];
}

function chat(change: (chat: any) => void = () => undefined): string {
  const made: any = emptyChat('scripted/scripted');
  made.cells.push({
    cell_type: 'code',
    id: 'pair',
    execution_count: null,
    metadata: { turnbook: { star: 2 } },
    source: ['a\n', 'b'],
    outputs: [
      {
        output_type: 'display_data',
        metadata: {},
        data: { 'text/markdown': ['c\n', 'd'] }
      }
    ]
  });
  change(made);
  return JSON.stringify(made, null, 1);
}

describe('ChatReader', () => {
  it.each([
    ['a chat', chat()],
    ['marks of trust', chat(({ cells }) => (cells[1].metadata.trusted = true))],
    ['what another version noted', chat(c => (c.metadata.signature = 'x'))],
    [
      'data of another type',
      chat(({ cells }) => (cells[1].outputs[0].data['text/plain'] = 5))
    ],
    ['unknown keys', chat(c => (c.odd = c.cells[1].odd = { more: [1] }))],
    [
      'keys that mean something to JavaScript',
      chat()
        .replace('"star": 2', '"star": 2, "__proto__": {"constructor": 1}')
        .replace(
          '"text/markdown"',
          '"__proto__": ["x\\n", "y"], "text/markdown"'
        )
    ],
    ['a key twice', chat().replace('"star": 2', '"star": 1, "star": 2')],
    ['line ends of Windows', chat().replace(/\n/g, '\r\n')]
  ])('reads what the server gives, at once: %s', async (_, text) => {
    const path = `${Math.random()}.chat.ipynb`;
    await write(path, text);
    const [rest, reader] = both();
    const read = await reader.get(path, { ...WHOLE });
    expect(asked).toEqual(OURS);
    const { message, ...given } = (await rest.get(path, { ...WHOLE })) as any;
    // The server also marks each cell that is not trusted.
    given.content.cells.forEach(({ metadata }: any) => {
      expect(metadata.trusted).not.toBe(true);
      delete metadata.trusted;
    });
    expect(read).toEqual(given);
    expect(JSON.stringify(read.content)).toBe(JSON.stringify(given.content));
  });

  it('reads what the user trusts as trusted', async () => {
    const path = 'signed.chat.ipynb';
    await sign(path);
    const [rest, reader] = both();
    const read = await reader.get(path, { ...WHOLE });
    expect(asked).toEqual(OURS);
    const { message, ...given } = (await rest.get(path, { ...WHOLE })) as any;
    expect(given.content.cells[1].metadata.trusted).toBe(true);
    expect(read).toEqual(given);
  });

  it('reads the text while the server looks for the signature', async () => {
    const text = chat();
    const reading = new PromiseDelegate<IReading>();
    const usual: any = { get: async () => ({ content: text, hash: 'one' }) };
    const api = { getReading: () => reading.promise };
    const parse = jest.spyOn(JSON, 'parse');
    const read = new ChatReader({ api, usual }).get('a.chat.ipynb', {
      ...WHOLE
    });
    await new Promise(resolve => setTimeout(resolve));
    expect(parse).toHaveBeenCalledWith(text);
    parse.mockRestore();
    reading.resolve({ hash: 'one', trusted: true });
    expect((await read).content.cells[1].metadata.trusted).toBe(true);
  });

  it.each<[string, () => Promise<IReading>]>([
    [
      'is more than its file for this server',
      async () => ({ hash: null, trusted: false })
    ],
    [
      'was written meanwhile',
      async () => ({ hash: 'of another version', trusted: true })
    ],
    [
      'is on a server without Turnbook',
      () => Promise.reject(new Error('Not found'))
    ]
  ])('lets the server read a chat that %s', async (_, getReading) => {
    const path = `${Math.random()}.chat.ipynb`;
    await write(path, chat());
    const [rest, reader] = both(getReading);
    const read = await reader.get(path, { ...WHOLE });
    expect(asked).toEqual(['GET file', 'GET notebook']);
    expect(read).toEqual(await rest.get(path, { ...WHOLE }));
  });

  it('lets the server read an older notebook', async () => {
    const path = 'old.chat.ipynb';
    await write(
      path,
      chat(c => (c.nbformat_minor = 4))
    );
    const [rest, reader] = both();
    const read = await reader.get(path, { ...WHOLE });
    expect(asked).toEqual([...OURS, 'GET notebook']);
    expect(read).toEqual(await rest.get(path, { ...WHOLE }));
  });

  it('lets the server give cells ids of their own', async () => {
    const path = 'twice.chat.ipynb';
    await write(
      path,
      chat(({ cells }) => cells.push(cells[1]))
    );
    const [, reader] = both();
    const { content } = await reader.get(path, { ...WHOLE });
    const ids = content.cells.map(({ id }: any) => id);
    expect(new Set(ids).size).toBe(3);
  });

  it.each([
    ['half a file', chat().slice(0, 200)],
    ['half a character', chat().replace('c\\n', '\\ud800\\n')],
    [
      'what is nested too deep',
      chat().replace('"star": 2', `"x": ${'['.repeat(900)}${']'.repeat(900)}`)
    ],
    ['other bytes', Buffer.from([0xff, 0xfe, 0x00])],
    ['no file', null]
  ])('fails as the server does: %s', async (_, text) => {
    const path = `${Math.random()}.chat.ipynb`;
    if (text !== null) {
      await write(path, text);
    }
    const [rest, reader] = both();
    const theirs = await rest.get(path, { ...WHOLE }).catch(error => error);
    const ours = await reader.get(path, { ...WHOLE }).catch(error => error);
    expect(theirs).toBeInstanceOf(ServerConnection.ResponseError);
    expect(ours.message).toBe(theirs.message);
  });

  it('asks once for other files, and when nothing is read', async () => {
    await write('plain.ipynb', chat());
    await write('asked.chat.ipynb', chat());
    const [, reader] = both();
    await reader.get('plain.ipynb', { ...WHOLE });
    expect(asked).toEqual(['GET notebook']);
    asked = [];
    await reader.get('asked.chat.ipynb', { content: false, hash: true });
    expect(asked).toEqual(['GET']);
  });
});

describe('quickReading', () => {
  function contextOf(contents: ContentsManager, path: string): Context<any> {
    const { serverSettings } = contents;
    const ready = Promise.resolve();
    const manager: any = { contents, ready, serverSettings, ...NO_KERNELS };
    const factory = new NotebookModelFactory();
    return new Context({ manager, factory, path } as any);
  }

  async function opened(
    path: string,
    contents = new ContentsManager({ serverSettings: settings() })
  ): Promise<Context<any>> {
    const context = contextOf(contents, path);
    quickReading(contents)(context);
    await context.initialize(false);
    return context;
  }

  const textOf = (context: Context<any>): string =>
    context.model.sharedModel.cells[1].getSource();

  const trustOf = (context: Context<any>): unknown =>
    context.model.sharedModel.cells[1].getMetadata('trusted');

  it('is how a document is read and read again, and saves it as always', async () => {
    const path = 'quick.chat.ipynb';
    await write(path, chat());
    const contents = new ContentsManager({ serverSettings: settings() });
    const saved = jest.fn();
    contents.fileChanged.connect((_, { type }) => saved(type));
    const context = await opened(path, contents);
    expect(asked.slice(0, 2)).toEqual(OURS);
    expect(asked).not.toContain('GET notebook');
    expect(textOf(context)).toBe('a\nb');
    context.model.sharedModel.cells[1].setSource('new');
    asked = [];
    await context.save();
    expect(asked.slice(0, 3)).toEqual(['GET', 'PUT', 'GET']);
    expect(saved.mock.calls).toEqual([['save']]);
    await write(
      path,
      chat(({ cells }) => (cells[1].source = 'elsewhere'))
    );
    await context.revert();
    expect(asked.slice(0, 2)).toEqual(OURS);
    expect(asked).not.toContain('GET notebook');
    expect(textOf(context)).toBe('elsewhere');
    expect(context.model.dirty).toBe(false);
    context.dispose();
  });

  it.each([true, false])(
    'leaves to the user whether a chat is trusted: %s',
    async trusted => {
      const path = `${trusted}.chat.ipynb`;
      await (trusted
        ? sign(path)
        : write(
            path,
            chat(({ cells }) => (cells[1].metadata.trusted = true))
          ));
      const context = await opened(path);
      expect(trustOf(context)).toBe(trusted || undefined);
      const { sharedModel } = context.model;
      sharedModel.cells[0].setSource('Be brief.');
      await context.save();
      const [rest] = both();
      const { content } = await rest.get(path, { ...WHOLE });
      expect(content.cells[0].source).toBe('Be brief.');
      expect(content.cells[1].metadata.trusted).toBe(trusted);
      asked = [];
      await context.revert();
      expect(asked.slice(0, 2)).toEqual(OURS);
      expect(trustOf(context)).toBe(trusted || undefined);
      context.dispose();
    }
  );

  it('reads and saves where the drive does', async () => {
    const path = 'place.chat.ipynb';
    const place = 'elsewhere/files';
    await write(path, chat());
    const serverSettings = settings(place);
    const context = await opened(
      path,
      new ContentsManager({
        serverSettings,
        defaultDrive: new Drive({ apiEndpoint: place, serverSettings })
      })
    );
    context.model.sharedModel.cells[1].setSource('new');
    await context.save();
    expect(asked.slice(0, 2)).toEqual(OURS);
    expect(asked.filter(each => each.includes('/'))).toEqual([]);
    context.dispose();
  });

  it('leaves other drives, and documents with a provider, alone', () => {
    const contents = new ContentsManager({ serverSettings: settings() });
    contents.addDrive(
      new Drive({ name: 'far', serverSettings: settings() }) as any
    );
    const read = quickReading(contents);
    const far = contextOf(contents, 'far:a.chat.ipynb') as any;
    read(far);
    expect(far._contentProviderId).toBeUndefined();
    const shared = contextOf(contents, 'b.chat.ipynb') as any;
    shared._contentProviderId = 'rtc';
    read(shared);
    expect(shared._contentProviderId).toBe('rtc');
    [far, shared].forEach(context => context.dispose());
  });

  it('does nothing where a drive does not say what it reads with', () => {
    const contents = new ContentsManager({ serverSettings: settings() });
    delete (contents.defaultDrive as any)._restContentProvider;
    const context = contextOf(contents, 'c.chat.ipynb') as any;
    quickReading(contents)(context);
    expect(context._contentProviderId).toBeUndefined();
    context.dispose();
  });

  it('does nothing where the files are kept by another drive', () => {
    class Other extends Drive {}
    const contents = new ContentsManager({
      serverSettings: settings(),
      defaultDrive: new Other({ serverSettings: settings() })
    });
    const context = contextOf(contents, 'c.chat.ipynb') as any;
    quickReading(contents)(context);
    expect(context._contentProviderId).toBeUndefined();
    context.dispose();
  });
});
