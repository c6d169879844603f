/** Parts of the line below a reply. */
import type { TranslationBundle } from '@jupyterlab/translation';

import { element } from '../../ui/dom';
import type { IPairMarks, PairAction } from './pairview';

const CLASS = 'jp-Turnbook-pairStatus';

/** Creates a button for an action. */
type MakeButton = (
  label: string,
  action: PairAction,
  modifier: string,
  title: string
) => HTMLButtonElement;

/** A word in the line. */
export function chip(kind: string, text: string, title = ''): HTMLElement {
  const node = element('span', `${CLASS}-${kind}`, text);
  node.title = title;
  return node;
}

/** Which version is shown, and the way to the others; nothing if there is only one. */
export function versionParts(
  {
    versions,
    shown,
    isSeveral
  }: Pick<IPairMarks, 'versions' | 'shown' | 'isSeveral'>,
  trans: TranslationBundle,
  button: MakeButton
): HTMLElement[] {
  if (!versions) {
    return [];
  }
  const at = shown ?? versions;
  const step = (sign: string, action: PairAction, name: string) => {
    const node = button(sign, action, 'step', name);
    node.setAttribute('aria-label', name);
    return node;
  };
  const previous = step('◀', 'previous', trans.__('Previous version'));
  const next = step('▶', 'next', trans.__('Next version'));
  previous.disabled = at === 0;
  next.disabled = at === versions;
  return [
    previous,
    chip('version', `${at + 1} / ${versions + 1}`, trans.__('Version')),
    next,
    ...(isSeveral
      ? []
      : [
          button(
            trans.__('Compare replies'),
            'compare',
            '',
            trans.__('Show the versions side by side')
          )
        ]),
    ...(shown === null
      ? []
      : [
          chip(
            'past',
            trans.__('not sent'),
            trans.__('This is an earlier version; the current one is sent')
          ),
          button(
            trans.__('Restore'),
            'restore',
            '',
            trans.__('Make this version the current one')
          )
        ])
  ];
}
