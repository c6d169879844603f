import { ReactWidget } from '@jupyterlab/ui-components';
import { Widget } from '@lumino/widgets';
import React, { useState } from 'react';

import { type, until } from '../../../providers/__tests__/standin';
import { suggest, TopicField } from '../topicfield';
import { openTopics } from '../topicspopup';

const press = (key: string, init: KeyboardEventInit = {}) =>
  document.activeElement!.dispatchEvent(
    new KeyboardEvent('keydown', {
      key,
      bubbles: true,
      cancelable: true,
      ...init
    })
  );

afterEach(() => {
  document.body.innerHTML = '';
});

describe('openTopics', () => {
  let anchor: HTMLButtonElement;
  let picked: [string, boolean][];

  const open = (...topics: string[]) =>
    openTopics(anchor, {
      topics,
      onPick: (path, below) => picked.push([path, below])
    });
  const popup = () => document.querySelector('.jp-Turnbook-topics');
  const items = () =>
    [...document.querySelectorAll<HTMLElement>('[role=treeitem]')].map(
      node => node.dataset.turnbookTopic
    );
  const focused = () =>
    (document.activeElement as HTMLElement).dataset.turnbookTopic;
  const onTopic = (path: string) =>
    until(() => focused() === path, `the focus on ${path}`);

  beforeEach(() => {
    picked = [];
    anchor = document.createElement('button');
    document.body.append(anchor);
    anchor.focus();
  });

  it('shows the tree with counts and supports the keys of a tree', async () => {
    open('ml/nlp', 'ml/nlp', 'ml', 'cooking', '');
    await onTopic('cooking');
    expect(items()).toEqual(['cooking', 'ml', 'ml/nlp']);
    expect(anchor.getAttribute('aria-expanded')).toBe('true');
    press('ArrowDown');
    await onTopic('ml');
    expect(document.activeElement!.getAttribute('aria-label')).toBe(
      'ml, 3 pairs'
    );
    press('ArrowLeft');
    await until(() => items().length === 2, 'the branch closed');
    expect(document.activeElement!.getAttribute('aria-expanded')).toBe('false');
    press('ArrowRight');
    await until(() => items().length === 3, 'the branch open');
    press('Enter');
    expect(picked).toEqual([['ml', true]]);
    expect(popup()).toBeNull();
    expect(document.activeElement).toBe(anchor);
    expect(anchor.getAttribute('aria-expanded')).toBe('false');
  });

  it('picks a topic alone with Shift, and by a click', async () => {
    open('ml/nlp', 'ml');
    await onTopic('ml');
    press('Enter', { shiftKey: true });
    open('ml/nlp', 'ml');
    await onTopic('ml');
    document
      .querySelector<HTMLElement>('[data-turnbook-topic="ml/nlp"]')!
      .click();
    expect(picked).toEqual([
      ['ml', false],
      ['ml/nlp', false]
    ]);
  });

  it('closes on Esc, on a press outside and on opening again', async () => {
    open('ml');
    await onTopic('ml');
    press('Escape');
    expect(popup()).toBeNull();
    expect(document.activeElement).toBe(anchor);

    open('ml');
    await onTopic('ml');
    anchor.dispatchEvent(new Event('pointerdown', { bubbles: true }));
    expect(popup()).not.toBeNull();
    document.body.dispatchEvent(new Event('pointerdown', { bubbles: true }));
    expect(popup()).toBeNull();

    open('ml');
    open('ml');
    expect(popup()).toBeNull();

    const closing = open('ml');
    closing.dispose();
    expect(closing.isDisposed).toBe(true);
    expect(popup()).toBeNull();
    expect(picked).toEqual([]);
  });

  it('says what to do when there is no topic', async () => {
    open('', '');
    await until(
      () => popup()!.textContent!.includes('No topics yet'),
      'the message'
    );
    press('Escape');
    expect(popup()).toBeNull();
    expect(document.activeElement).toBe(anchor);
  });
});

describe('TopicField', () => {
  let told: string[];
  let done: number;
  let widget: ReactWidget;

  function Owner(): JSX.Element {
    const [topic, setTopic] = useState('ml');
    return (
      <TopicField
        value={topic}
        topics={['ml/nlp', 'ml/nlp', 'cooking', '']}
        onChange={value => {
          told.push(value);
          setTopic(value);
        }}
        onDone={() => done++}
      />
    );
  }
  const input = () => document.querySelector('input')!;
  const options = () =>
    [...document.querySelectorAll('[role=option]')].map(
      node => node.textContent
    );
  const write = async (text: string) => {
    type(input(), text);
    await until(() => input().value === text, 'the text');
  };

  beforeEach(async () => {
    told = [];
    done = 0;
    widget = ReactWidget.create(<Owner />);
    Widget.attach(widget, document.body);
    await until(() => document.querySelector('input'), 'the field');
    input().focus();
  });

  afterEach(() => widget.dispose());

  it('applies the normalised topic on Enter', async () => {
    await write('  ml // deep   nets/ ');
    press('Enter');
    await until(() => input().value === 'ml/deep nets', 'the normal form');
    expect(told).toEqual(['ml/deep nets']);
    expect(done).toBe(1);
  });

  it('applies it when the field is left, unless nothing changed', async () => {
    await write('ml/');
    input().blur();
    await until(() => input().value === 'ml', 'the normal form');
    expect(told).toEqual([]);
    input().focus();
    await write('');
    input().blur();
    await until(() => told.length === 1, 'no topic');
    expect(told).toEqual(['']);
  });

  it('discards a change on Esc', async () => {
    await write('other');
    press('Escape');
    await until(() => input().value === 'ml', 'the old topic');
    input().blur();
    expect(told).toEqual([]);
  });

  it('suggests known topics, by keys and by a click', async () => {
    await write('n');
    await until(() => options().length === 2, 'suggestions');
    expect(options()).toEqual(['cooking', 'ml/nlp']);
    press('ArrowDown');
    await until(
      () => document.querySelector('[aria-selected=true]'),
      'a chosen suggestion'
    );
    expect(input().getAttribute('aria-activedescendant')).toBe(
      document.querySelector('[aria-selected=true]')!.id
    );
    press('Enter');
    await until(() => input().value === 'cooking', 'the suggestion');
    await write('nlp');
    await until(() => options().length === 1, 'the suggestion');
    document.querySelector<HTMLElement>('[role=option]')!.click();
    await until(() => input().value === 'ml/nlp', 'the suggestion');
    expect(told).toEqual(['cooking', 'ml/nlp']);
  });

  it('never applies an invalid topic, and says why', async () => {
    await write('ml/*');
    press('Enter');
    const alert = await until(
      () => document.querySelector('[role=alert]'),
      'the reason'
    );
    expect(alert.textContent).toMatch(/cannot contain \*.*Still in force: ml/);
    expect(input().getAttribute('aria-invalid')).toBe('true');
    input().blur();
    expect(told).toEqual([]);
    expect(done).toBe(0);
  });
});

it('suggestions start with prefix matches, include ancestors, and leave out the text itself', () => {
  expect(suggest(['a/ml', 'ml/nlp/x', 'ml'], 'ML')).toEqual([
    'ml/nlp',
    'ml/nlp/x',
    'a/ml'
  ]);
  expect(suggest(['b', 'a'], '')).toEqual(['a', 'b']);
});
