import { Dialog } from '@jupyterlab/apputils';
import { ReactWidget } from '@jupyterlab/ui-components';
import { Widget } from '@lumino/widgets';
import React from 'react';

import { LocalNotice } from '../localnotice';
import { ModelPicker } from '../modelpicker';
import { showProviders } from '../providersdialog';
import { ModelCatalog } from '../../runs/catalog';
import {
  button,
  choose,
  click,
  field,
  provider,
  StandIn,
  type,
  until
} from './standin';

const KEY = 'sk-canary-0123456789';

let server: StandIn;
let catalog: ModelCatalog;
let shown: Widget[];

function show(element: React.ReactElement): ReactWidget {
  const widget = ReactWidget.create(element);
  shown.push(widget);
  Widget.attach(widget, document.body);
  return widget;
}

const press = (node: Element, key: string, shiftKey = false) =>
  node.dispatchEvent(
    new KeyboardEvent('keydown', {
      key,
      shiftKey,
      bubbles: true,
      cancelable: true
    })
  );

beforeEach(() => {
  server = new StandIn();
  catalog = new ModelCatalog({ api: server.api });
  shown = [];
});

afterEach(() => {
  Dialog.flush();
  shown.forEach(widget => widget.dispose());
  catalog.dispose();
  document.body.innerHTML = '';
});

const MENU = {
  recent: () => ['fixed/big', 'fixed/lost'],
  windowOf: (id: string) => (id === 'local/smol' ? 2048 : null),
  onLocalModels: () => undefined
};

describe('ModelPicker', () => {
  const select = () =>
    document.querySelector<HTMLSelectElement>('select[aria-label="Model"]')!;

  it('groups models, keeps an unlisted one, and reports the choice', async () => {
    const chosen: string[] = [];
    let managed = 0;
    show(
      <ModelPicker
        api={server.api}
        catalog={catalog}
        value="fixed/gone"
        {...MENU}
        onChange={id => chosen.push(id)}
        onManage={() => managed++}
      />
    );
    await until(() => select()?.options.length === 6, 'the models');
    expect(
      [...select().querySelectorAll('optgroup')].map(group => group.label)
    ).toEqual(['local', 'fixed', 'Providers']);
    expect([...select().options].map(option => option.text)).toEqual([
      'smol',
      'big',
      'gone (not listed)',
      'Add or edit providers…',
      'Local models…',
      'Refresh models'
    ]);

    const beside = document.querySelector('.jp-Turnbook-modelPicker-provider');
    expect(beside?.textContent).toBe('fixed');
    expect(select().title).toBe('fixed/gone');

    choose(select(), select().options[3].value);
    expect(managed).toBe(1);
    expect(select().value).toBe('fixed/gone');

    choose(select(), select().options[5].value);
    await until(() => server.calls.length === 2, 'the refresh');
    expect(server.calls).toEqual([
      ['models', false],
      ['models', true]
    ]);
    expect(chosen).toEqual([]);

    choose(select(), 'local/smol');
    expect(chosen).toEqual(['local/smol']);
  });

  it('opens a menu by key, in which models are searched and chosen', async () => {
    const chosen: string[] = [];
    show(
      <ModelPicker
        api={server.api}
        catalog={catalog}
        value="local/smol"
        {...MENU}
        onChange={id => chosen.push(id)}
        onManage={() => undefined}
      />
    );
    await until(() => select()?.options.length === 5, 'the models');
    const menu = () =>
      document.querySelector<HTMLElement>('.jp-Turnbook-modelMenu');
    const shown = () =>
      [...menu()!.querySelectorAll('[role="option"]')].map(node =>
        [...node.children].map(child => child.textContent)
      );
    const active = () => {
      const search = menu()!.querySelector('input')!;
      const id = search.getAttribute('aria-activedescendant')!;
      return document.getElementById(id)!.dataset.turnbookModel;
    };

    select().focus();
    press(select(), 'Tab');
    expect(menu()).toBeNull();
    press(select(), 'Enter');
    await until(() => document.activeElement?.matches('input'), 'the menu');
    expect(select().getAttribute('aria-expanded')).toBe('true');
    // Nothing is shown for what is unknown.
    expect(shown()).toEqual([
      ['fixed / big', '$2.50 / $10'],
      ['smol', '2k']
    ]);
    expect(active()).toBe('local/smol');
    press(document.activeElement!, 'ArrowDown');
    await until(() => active() === 'fixed/big', 'the next model');
    press(document.activeElement!, 'Enter');
    await until(() => !menu(), 'the end of the menu');
    expect(chosen).toEqual(['fixed/big']);
    expect(document.activeElement).toBe(select());

    press(select(), 'm');
    await until(() => menu() && shown().length === 1, 'the search');
    expect(active()).toBe('local/smol');
    type(document.activeElement as HTMLInputElement, 'mn');
    await until(() => menu()!.textContent!.includes('No model'), 'nothing');
    press(document.activeElement!, 'Enter');
    press(document.activeElement!, 'Escape');
    await until(() => !menu(), 'the end of the menu');
    expect(document.activeElement).toBe(select());
    expect(chosen).toEqual(['fixed/big']);
  });

  it('shows a local model in the menu that has arrived meanwhile', async () => {
    show(
      <ModelPicker
        api={server.api}
        catalog={catalog}
        value="local/smol"
        {...MENU}
        onChange={() => undefined}
        onManage={() => undefined}
      />
    );
    await until(() => select()?.options.length === 5, 'the models');
    const model = { ...server.models.models[0], id: 'local/new', model: 'new' };
    server.models = {
      ...server.models,
      models: [...server.models.models, model]
    };
    server.localModels = {
      ...server.localModels,
      models: [
        {
          name: 'new',
          parameters: '1B',
          page: '',
          size: 1e9,
          memory: 1e9,
          fits: true,
          license: 'MIT',
          state: 'ready',
          received: 1e9,
          message: ''
        }
      ]
    };
    press(select(), 'Enter');
    await until(
      () => document.querySelector('[data-turnbook-model="local/new"]'),
      'the new model'
    );
  });

  it('offers servers on loopback, and makes a provider of one', async () => {
    const chosen: string[] = [];
    const baseUrl = 'http://127.0.0.1:11434/v1';
    server.loopback = [
      { name: 'ollama', title: 'Ollama', baseUrl, model: 'm', count: 3 },
      { name: 'vllm', title: 'vLLM', baseUrl, model: null, count: 0 }
    ];
    show(
      <ModelPicker
        api={server.api}
        catalog={catalog}
        value="local/smol"
        {...MENU}
        onChange={id => chosen.push(id)}
        onManage={() => undefined}
      />
    );
    await until(() => select()?.options.length === 5, 'the models');
    expect(server.calls).not.toContainEqual(['loopback']);
    press(select(), 'Enter');
    await until(() => button('Use Ollama'), 'the server');
    expect(document.body.textContent).toContain(
      'Ollama 127.0.0.1:11434 · m and 2 more'
    );
    expect(document.body.textContent).toContain('no model is loaded there');
    expect(button('Use vLLM')).toBeUndefined();
    const put = server.putProvider;
    server.putProvider = async () => {
      throw new Error('Not allowed here.');
    };
    await click('Use Ollama');
    await until(
      () => document.querySelector('[role="alert"]')?.textContent,
      'the reason'
    );
    server.putProvider = put;
    await click('Use Ollama');
    await until(() => chosen.length, 'the choice');
    expect(chosen).toEqual(['ollama/m']);
    expect(server.calls).toContainEqual(['put', 'ollama', { baseUrl }]);
  });

  it('does not overwrite a provider that was added meanwhile', async () => {
    const chosen: string[] = [];
    const baseUrl = 'http://127.0.0.1:11434/v1';
    server.loopback = [
      { name: 'ollama', title: 'Ollama', baseUrl, model: 'm', count: 1 }
    ];
    show(
      <ModelPicker
        api={server.api}
        catalog={catalog}
        value="local/smol"
        {...MENU}
        onChange={id => chosen.push(id)}
        onManage={() => undefined}
      />
    );
    await until(() => select()?.options.length === 5, 'the models');
    press(select(), 'Enter');
    await until(() => button('Use Ollama'), 'the server');
    server.providers.push(provider('ollama', { key: 'set' }));
    server.loopback = [];
    await click('Use Ollama');
    await until(() => !button('Use Ollama'), 'the servers of now');
    expect(document.querySelector('[role="alert"]')?.textContent).toBe(
      'Another provider is named ollama now. Nothing was changed; choose again.'
    );
    server.providers = server.providers.filter(({ name }) => name !== 'ollama');
    expect(server.calls.map(([call]) => call)).not.toContain('put');
    expect(chosen).toEqual([]);
  });

  it('shows why a provider lists nothing', async () => {
    server.models.errors = [
      {
        provider: 'ollama',
        error: {
          type: 'network',
          code: 'network',
          status: null,
          message: 'Connection refused.',
          retryAfter: null,
          finish: null
        }
      }
    ];
    show(
      <ModelPicker
        api={server.api}
        catalog={catalog}
        value="local/smol"
        {...MENU}
        onChange={() => undefined}
        onManage={() => undefined}
      />
    );
    const warning = await until(
      () =>
        document.querySelector<HTMLElement>('.jp-Turnbook-modelPicker-warning'),
      'the warning'
    );
    expect(warning.title).toContain('ollama: [error: network]');
  });
});

describe('showProviders', () => {
  let closed: Promise<void>;

  const open = async (use?: (model: string) => void) => {
    closed = showProviders(server.api, catalog, undefined, use);
    // A failed test leaves its dialog open, and flushing it rejects.
    closed.catch(() => undefined);
    await until(
      () => document.querySelector('[data-turnbook-provider="local"]'),
      'the list'
    );
    // JupyterLab moves the focus once more, which may be later.
    await Dialog.tracker.find(() => true)!.ready;
  };
  const close = async () => {
    press(document.activeElement!, 'Escape');
    await closed;
    expect(document.querySelector('.jp-Dialog')).toBeNull();
  };
  const news = () =>
    document.querySelector('.jp-Turnbook-providers-news')!.textContent;

  it('only lists the providers where the administrator sets them', async () => {
    server.canAdd = false;
    await open();
    const dialog = document.querySelector('.jp-Turnbook-providersDialog')!;
    expect(dialog.textContent).toContain('The administrator of this server');
    expect(dialog.querySelector('input, select')).toBeNull();
    // The keys still reach the dialog.
    expect(dialog.contains(document.activeElement)).toBe(true);
    await close();
  });

  it('adds a provider from a preset, tests and saves it', async () => {
    await open();
    expect(button('Edit fixed')).toBeUndefined();
    expect(
      document.querySelector('[data-turnbook-provider="fixed"]')!.textContent
    ).toContain('c.TurnbookApp.providers');

    const preset = field('Start from') as unknown as HTMLSelectElement;
    expect(document.activeElement).toBe(preset);
    choose(preset, 'ollama');
    await until(() => field('Name').value === 'ollama', 'the preset');
    expect(field('Base URL').value).toBe('http://localhost:11434/v1');
    expect(document.body.textContent).toContain('/data/keys.json');
    expect(field('API key').type).toBe('password');

    type(field('API key'), KEY);
    await until(() => field('API key').value === KEY, 'the key');
    await click('Test');
    await until(() => news()!.includes('It works: 2 models.'), 'the models');

    await click('Save');
    await until(() => button('Edit ollama'), 'the new provider');
    const input = { baseUrl: 'http://localhost:11434/v1', key: KEY };
    expect(server.calls.slice(0, 2)).toEqual([
      ['test', 'ollama', input],
      ['put', 'ollama', input]
    ]);
    await until(
      () => server.calls.some(([call, force]) => call === 'models' && force),
      'the refresh of the catalog'
    );
    expect(field('API key').value).toBe('');
    expect(field('API key').placeholder).toBe('set — leave empty to keep');
    expect(document.body.innerHTML).not.toContain(KEY);
    await close();
  });

  it('offers to use a model of the provider that was saved', async () => {
    const used: string[] = [];
    await open(model => used.push(model));
    choose(field('Start from') as unknown as HTMLSelectElement, 'ollama');
    await until(() => field('Name').value === 'ollama', 'the preset');
    const make = (model: string) => ({
      id: `ollama/${model}`,
      provider: 'ollama',
      model,
      window: null,
      price: null
    });
    server.models = {
      ...server.models,
      models: [...server.models.models, make('m1'), make('m2')]
    };
    await click('Save');
    await until(() => button('Use m1 now'), 'the offer');
    choose(
      document.querySelector<HTMLSelectElement>(
        'select[aria-label="Model to use"]'
      )!,
      'ollama/m2'
    );
    await click('Use m2 now');
    await closed;
    expect(used).toEqual(['ollama/m2']);
    expect(document.querySelector('.jp-Dialog')).toBeNull();
  });

  const checks = () =>
    [...document.querySelectorAll('[data-turnbook-check]')].map(
      node => node.textContent
    );
  const testOllama = async () => {
    await open();
    choose(field('Start from') as unknown as HTMLSelectElement, 'ollama');
    await until(() => field('Name').value === 'ollama', 'the preset');
    await click('Test');
    await until(() => news()!.includes('5 short requests'), 'the offer');
  };

  it('finds out what a model can do on request, and stores the result', async () => {
    const error = {
      type: 'unknown' as const,
      code: '400',
      status: 400,
      message: 'No pictures here.',
      retryAfter: null,
      finish: null
    };
    server.checks = {
      tools: { result: 'no' },
      images: { result: 'no', error },
      reasoning: { result: 'failed', error: { ...error, message: 'Busy.' } }
    };
    await testOllama();
    choose(
      document.querySelector<HTMLSelectElement>(
        'select[aria-label="Model to try"]'
      )!,
      'm2'
    );
    await click('Try what it can do');
    await until(() => news()!.includes('will go on'), 'what was found');
    expect(checks()).toEqual([
      '✓Streaming: yes',
      '–Tools: no, it did not call the tool',
      '–Images: no, the provider refuses it: No pictures here.',
      '✗Reasoning: could not be tried: Busy.',
      '✓Continues a partial reply: yes'
    ]);
    expect(field('When a reply is cut off').value).toBe('prefill');
    await click('Save');
    await until(() => button('Edit ollama'), 'the new provider');
    const input = { baseUrl: 'http://localhost:11434/v1' };
    expect(server.calls.slice(1, 7)).toEqual([
      ...['streaming', 'tools', 'images', 'reasoning', 'prefill'].map(check => [
        'check',
        'ollama',
        input,
        'm2',
        check
      ]),
      ['put', 'ollama', { ...input, continuation: 'prefill' }]
    ]);
    await close();
  });

  it('scrolls to the checks only when they have news', async () => {
    const scrolled = jest.fn();
    Element.prototype.scrollIntoView = scrolled;
    await testOllama();
    await click('Try what it can do');
    await until(() => news()!.includes('will go on'), 'what was found');
    expect(scrolled).toHaveBeenCalled();
    scrolled.mockClear();
    await catalog.refresh(true);
    expect(scrolled).not.toHaveBeenCalled();
    delete (Element.prototype as Partial<Element>).scrollIntoView;
    await close();
  });

  it('ends the checks when they are canceled, or when nothing answers', async () => {
    let go = () => undefined as void;
    server.checking = new Promise<void>(resolve => {
      go = resolve;
    });
    await testOllama();
    await click('Try what it can do');
    await until(() => checks()[0] === 'Streaming…', 'the progress');
    await click('Cancel');
    await until(() => news()!.includes('Canceled.'), 'the end');
    expect(checks()).toEqual([]);
    go();

    server.checks = { streaming: { result: 'failed' } };
    await click('Try what it can do');
    await until(() => checks().length === 1, 'what was found');
    await until(() => button('Try what it can do'), 'the end');
    expect(field('When a reply is cut off').value).toBe('restart');
    expect(server.calls.filter(([call]) => call === 'check')).toHaveLength(2);
    await close();
  });

  it('lets the user choose how an interrupted reply is resumed', async () => {
    await open();
    choose(field('Start from') as unknown as HTMLSelectElement, 'ollama');
    await until(() => field('Name').value === 'ollama', 'the preset');
    const select = field(
      'When a reply is cut off'
    ) as unknown as HTMLSelectElement;
    expect(select.value).toBe('restart');
    expect([...select.options].map(({ value }) => value)).toEqual([
      'restart',
      'prefill',
      'instruct'
    ]);
    choose(select, 'instruct');
    await until(
      () => document.body.textContent!.includes('A message asks the model'),
      'what it does'
    );
    await click('Save');
    await until(() => button('Edit ollama'), 'the new provider');
    expect(server.calls).toContainEqual([
      'put',
      'ollama',
      { baseUrl: 'http://localhost:11434/v1', continuation: 'instruct' }
    ]);
    expect(select.value).toBe('instruct');
    await close();
  });

  it('does not close on Enter, validates before it asks, and keeps the focus', async () => {
    await open();
    const name = field('Name');
    name.focus();
    const event = new KeyboardEvent('keydown', {
      key: 'Enter',
      bubbles: true,
      cancelable: true
    });
    name.dispatchEvent(event);
    // Not prevented: the browser would submit the form, which jsdom does not.
    expect(event.defaultPrevented).toBe(false);
    name.form!.requestSubmit();
    await until(() => name.getAttribute('aria-invalid'), 'the problem');
    const problem = document.getElementById(
      name.getAttribute('aria-describedby')!
    );
    expect(problem!.textContent).toContain('Give the provider a name');
    expect(document.activeElement).toBe(name);
    expect(server.calls).toEqual([]);

    const last = document.querySelector<HTMLElement>(
      '.jp-Dialog-footer button'
    )!;
    last.focus();
    press(last, 'Tab');
    expect(document.activeElement).toBe(field('Start from'));
    press(document.activeElement!, 'Tab', true);
    expect(document.activeElement).toBe(last);
    await close();
  });

  it('explains a failed test by its kind', async () => {
    server.test = {
      ok: false,
      models: [],
      error: {
        type: 'network',
        code: 'network',
        status: null,
        message: 'Connection refused.',
        retryAfter: null,
        finish: null
      }
    };
    await open();
    type(field('Name'), 'box');
    type(field('Base URL'), 'http://localhost:9/v1');
    await until(() => field('Base URL').value, 'the address');
    await click('Test');
    await until(
      () => news()!.includes('Is the server running at that address?'),
      'the advice'
    );
    expect(news()).toContain('[error: network] Connection refused.');
    type(field('Base URL'), 'http://localhost:10/v1');
    await until(() => news() === '', 'the end of an answer to older settings');
    await close();
  });

  it('warns that another URL drops the key, removes keys, and deletes only when confirmed', async () => {
    server.providers.push(provider('box', { key: 'set' }));
    await open();
    await click('Edit box');
    await until(() => field('Name').readOnly, 'the stored provider');
    expect(document.activeElement).toBe(field('Base URL'));
    type(field('Base URL'), 'http://other.localhost/v1');
    await until(
      () => document.body.textContent!.includes('belongs to http://box.local'),
      'the warning'
    );

    await click('Remove key');
    await until(
      () => news() === 'The key of box is removed.' && !button('Remove key'),
      'the removal'
    );
    expect(document.activeElement).toBe(field('Base URL'));
    expect(server.calls[0]).toEqual([
      'put',
      'box',
      expect.objectContaining({ baseUrl: 'http://box.localhost/v1', key: null })
    ]);

    await click('Delete box');
    await click('Keep');
    await click('Delete box');
    await click('Yes, delete');
    await until(() => !button('Edit box'), 'the deletion');
    expect(server.calls.filter(([call]) => call === 'delete')).toEqual([
      ['delete', 'box']
    ]);
    const dialog = document.querySelector('.jp-Dialog')!;
    expect(dialog.contains(document.activeElement)).toBe(true);
    await close();
  });
});

describe('LocalNotice', () => {
  it('offers to download the model, shows its progress, and disappears when it is there', async () => {
    await catalog.refresh();
    const widget = show(
      <LocalNotice api={server.api} catalog={catalog} model="local/smol" />
    );
    const status = await until(
      () => widget.node.querySelector('[role="status"]'),
      'the notice'
    );
    expect(status.textContent).toContain('not on this machine yet (93 MB)');

    await click('Fetch model');
    const bar = await until(
      () => widget.node.querySelector('progress'),
      'the progress'
    );
    expect(bar.value).toBeCloseTo(1 / 3);
    expect(widget.node.textContent).toContain('31 of 93 MB');

    await click('Cancel');
    await click('Fetch model');
    await until(() => button('Cancel'), 'the second fetch');
    server.local = { ...server.local, state: 'ready' };
    await until(() => widget.node.textContent === '', 'the end');
    await until(
      () => server.calls.some(([call, force]) => call === 'models' && force),
      'the refresh of the catalog'
    );
  });

  it('is empty for other models', async () => {
    await catalog.refresh();
    const widget = show(
      <LocalNotice api={server.api} catalog={catalog} model="fixed/big" />
    );
    await widget.renderPromise;
    expect(widget.node.textContent).toBe('');
  });

  it('says why a download did not start', async () => {
    server.fetchLocal = async () => {
      throw new Error('pip is missing. Install it.');
    };
    await catalog.refresh();
    const widget = show(
      <LocalNotice api={server.api} catalog={catalog} model="local/smol" />
    );
    await click('Fetch model');
    await until(
      () => widget.node.textContent!.includes('pip is missing. Install it.'),
      'the reason'
    );
  });
});
