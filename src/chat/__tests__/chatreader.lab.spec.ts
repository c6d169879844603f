import { Context } from '@jupyterlab/docregistry';
import { NotebookModelFactory } from '@jupyterlab/notebook';
import {
  ContentsManager,
  Drive,
  RestContentProvider,
  ServerConnection
} from '@jupyterlab/services';

import { Chats } from '../../session/__tests__/chats';
import { NO_KERNELS } from '../../session/__tests__/tabs';
import { emptyChat } from '../../document/chatfile';
import { ChatReader, quickReading } from '../chatreader';

const chats = new Chats();
const WHOLE = { type: 'notebook', content: true, hash: true } as const;

/** What a request asks for. */
let asked: string[] = [];

function settings(): ServerConnection.ISettings {
  const { baseUrl, token } = chats.server;
  return ServerConnection.makeSettings({
    baseUrl,
    token,
    fetch: async (input: RequestInfo, init?: RequestInit) => {
      const request = new Request(input, init);
      const { searchParams } = new URL(request.url);
      asked.push(`${request.method} ${searchParams.get('type') ?? ''}`.trim());
      return fetch(request);
    }
  });
}

function both(): [RestContentProvider, ChatReader] {
  const options = { apiEndpoint: 'api/contents', serverSettings: settings() };
  return [new RestContentProvider(options), new ChatReader(options)];
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
    ['unknown keys', chat(c => (c.odd = c.cells[1].odd = { __proto__: 1 }))],
    ['a key twice', chat().replace('"star": 2', '"star": 1, "star": 2')],
    ['line ends of Windows', chat().replace(/\n/g, '\r\n')]
  ])('reads what the server gives, at once: %s', async (_, text) => {
    const path = `${Math.random()}.chat.ipynb`;
    await write(path, text);
    const [rest, reader] = both();
    const read = await reader.get(path, { ...WHOLE });
    expect(asked).toEqual(['GET file']);
    const { message, ...given } = (await rest.get(path, { ...WHOLE })) as any;
    // The server marks each cell as trusted or not.
    given.content.cells.forEach((cell: any) => delete cell.metadata.trusted);
    expect(read).toEqual(given);
  });

  it('lets the server read an older notebook', async () => {
    const path = 'old.chat.ipynb';
    await write(
      path,
      chat(c => (c.nbformat_minor = 4))
    );
    const [rest, reader] = both();
    const read = await reader.get(path, { ...WHOLE });
    expect(asked).toEqual(['GET file', 'GET notebook']);
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

  it('reads half a character, which the server cannot', async () => {
    const path = 'half.chat.ipynb';
    await write(path, chat().replace('c\\n', '\\ud800\\n'));
    const [rest, reader] = both();
    await expect(rest.get(path, { ...WHOLE })).rejects.toThrow();
    const { content } = await reader.get(path, { ...WHOLE });
    expect(content.cells[1].outputs[0].data['text/markdown']).toBe('\ud800\nd');
  });

  it.each([
    ['half a file', chat().slice(0, 200)],
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

  it('is how a document is read and read again, and saves it as always', async () => {
    const path = 'quick.chat.ipynb';
    await write(path, chat());
    const contents = new ContentsManager({ serverSettings: settings() });
    const saved = jest.fn();
    contents.fileChanged.connect((_, { type }) => saved(type));
    const context = contextOf(contents, path);
    quickReading(contents)(context);
    await (context as any)._revert(true);
    expect(asked[0]).toBe('GET file');
    const { sharedModel } = context.model;
    expect(sharedModel.cells[1].getSource()).toBe('a\nb');
    sharedModel.cells[1].setSource('new');
    asked = [];
    await (context as any)._maybeSave({
      type: 'notebook',
      format: 'json',
      content: context.model.toJSON()
    });
    expect(asked).toEqual(['GET', 'PUT', 'GET']);
    expect(saved.mock.calls).toEqual([['save']]);
    const other = contextOf(contents, path);
    await (other as any)._revert(true);
    expect(other.model.sharedModel.cells[1].getSource()).toBe('new');
    context.dispose();
    other.dispose();
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
