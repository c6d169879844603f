import { redoIcon, undoIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { errorMessage } from '../base/errors';
import { chatTitle } from '../chat/chattitle';
import type { ChatPanel } from '../chat/panel';
import type { ChatSession } from '../session/session';
import type { IMessage } from '../base/message';
import type { RequestDraft } from '../request/draft';
import type { IEditedRequest, IRequestProblem } from '../request/model';
import { isEditor } from '../request/pause';
import { Part } from '../ui/accordion';
import { countedOptions } from '../request/shownoptions';
import { Banner, IconButton, TextButton } from '../ui/controls';
import { Footer } from './footer';
import { useWords } from '../ui/language';
import { lastTimeLine } from './lasttimeline';
import { OptionsPart } from './optionspart';
import type { PanelPart, PanelState } from './panelstate';
import { PauseBanner } from '../ui/pausebanner';
import { PromptView } from './promptview';
import { RulesView } from './rulesview';
import { goToCell } from '../chat/goto';
import { originalBody, type IPanelServices } from './services';
import { SnapshotPart } from './snapshotpart';
import { EditedNotice } from './editednotice';
import { TargetSelect } from './targetselect';
import { useParity } from './useparity';
import { useSignal } from '../ui/usesignal';
import { VersionsView } from './versionsview';

export interface IPanelViewProps {
  chat: ChatPanel;
  state: PanelState;
  services: IPanelServices;
  banner: React.Ref<HTMLDivElement>;
}

/** The request of a chat, for reading and editing. */
export function PanelView(props: IPanelViewProps): JSX.Element {
  const { chat, banner } = props;
  const { session } = chat;
  const { requests } = session;
  const { pause } = session.modes;
  const draft = session.review.reviewed;
  const trans = useWords();
  useSignal(requests.changed);
  useSignal(draft?.changed);
  useSignal(session.changed);
  useSignal(chat.title.changed);
  const problem = usePast(session);
  return (
    <div
      className="jp-Turnbook-panel-view"
      onKeyDown={event => draft && undoByKeys(event, draft)}
    >
      <div className="jp-Turnbook-panel-header">
        <h2 title={`${chatTitle(chat)}\n${chat.context.path}`}>
          {trans.__('Request')}
        </h2>
        <TargetSelect
          session={session}
          target={requests.target}
          onChange={target => {
            requests.target = target;
          }}
        />
        {draft && (
          <>
            <IconButton
              icon={undoIcon}
              label={trans.__('Undo')}
              disabled={!draft.canUndo}
              onClick={() => draft.undo()}
            />
            <IconButton
              icon={redoIcon}
              label={trans.__('Redo')}
              disabled={!draft.canRedo}
              onClick={() => draft.redo()}
            />
          </>
        )}
      </div>
      {pause.held && (
        <PauseBanner
          banner={banner}
          resend={isEditor(pause.held)}
          models={pause.held.models}
          obstacle={session.obstacle}
          onResume={() => void session.resumeSend()}
          onCancel={() => void session.review.cancel()}
        />
      )}
      {draft ? (
        <DraftView {...props} draft={draft} />
      ) : (
        <div className="jp-Turnbook-panel-empty" role="status">
          {problem ?? trans.__('Reading the request…')}
        </div>
      )}
    </div>
  );
}

/** Handle undo and redo keys unless the focus is in a field with its own undo. */
function undoByKeys(event: React.KeyboardEvent, draft: RequestDraft): void {
  const isField = (event.target as HTMLElement).matches(
    'input, textarea, [contenteditable="true"]'
  );
  const key = event.key.toLowerCase();
  if (isField || !(event.ctrlKey || event.metaKey)) {
    return;
  }
  if (key === 'z' || key === 'y') {
    event.preventDefault();
    event.stopPropagation();
    if (key === 'y' || event.shiftKey) {
      draft.redo();
    } else {
      draft.undo();
    }
  }
}

/** Read the request of a past pair when it is shown; return why it cannot be. */
function usePast(session: ChatSession): string | null {
  const { requests } = session;
  const { target } = requests;
  const [problem, setProblem] = React.useState<string | null>(null);
  React.useEffect(() => {
    let wanted = true;
    setProblem(null);
    requests.draftOf(target).catch((error: unknown) => {
      if (wanted) {
        setProblem(errorMessage(error));
      }
    });
    return () => {
      wanted = false;
    };
  }, [requests, target]);
  return problem;
}

function DraftView(
  props: IPanelViewProps & { draft: RequestDraft }
): JSX.Element {
  const { chat, draft, state, services } = props;
  const { session } = chat;
  const { replays } = services;
  const trans = useWords();
  const [, redraw] = React.useReducer((n: number) => n + 1, 0);
  useSignal(replays?.changed);
  useSignal(session.modes.rules.changed);
  useSignal(session.lastTime.changed);
  const { request, versions } = draft;
  const parity = useParity(chat, services.api);
  const count = React.useCallback(
    (message: IMessage) => session.context.tokensOf(message),
    [session]
  );
  const part = (key: PanelPart) => ({
    open: state.parts.has(key),
    onToggle: () => {
      if (!state.parts.delete(key)) {
        state.parts.add(key);
      }
      redraw();
    }
  });
  const tokens = request.messages.reduce(
    (sum, one) => sum + count(one),
    session.context.count(countedOptions(request.frame))
  );
  const { softCap } = session.budgets.state;
  const canReplay = replays?.enabled ?? false;
  return (
    <>
      <Notices request={request} />
      <EditedNotice draft={draft} />
      <div className="jp-Turnbook-parts">
        <Part
          name={trans.__('Prompt')}
          grows
          {...part('prompt')}
          aside={
            <span
              title={trans.__(
                'Tokens of this request, out of the model’s context window'
              )}
            >
              {trans.__(
                '%1 of %2 tokens',
                tokens.toLocaleString('en'),
                softCap.toLocaleString('en')
              )}
            </span>
          }
        >
          <PromptView
            draft={draft}
            request={request}
            state={state}
            count={count}
            window={softCap}
            lastTime={lastTimeLine(session, request, trans)}
            canKeep={section => session.modes.rules.canKeep(section)}
            keep={section => session.modes.rules.keep(section, draft.base)}
            reveal={cell => goToCell(chat, cell)}
          />
        </Part>
        <Part
          name={trans.__('Options')}
          {...part('options')}
          aside={
            request.editedOptions.length ? (
              <span title={trans.__('Edited options')}>
                {request.editedOptions.length}
              </span>
            ) : undefined
          }
        >
          <OptionsPart
            draft={draft}
            models={services.models(chat)}
            keep={
              draft === session.requests.live
                ? name => session.options.keep(name)
                : undefined
            }
          />
        </Part>
        <Part name={trans.__('Session Snapshot')} fills {...part('snapshot')}>
          <SnapshotPart
            chat={chat}
            draft={draft}
            state={state}
            replays={canReplay ? replays : null}
          />
        </Part>
        <Part
          name={trans.__('Versions')}
          {...part('versions')}
          aside={versions.length || undefined}
        >
          <VersionsView
            versions={versions}
            body={request.body}
            original={originalBody(draft)}
            restore={n => draft.restoreVersion(n)}
          />
        </Part>
        {(session.modes.rules.list.length > 0 || session.modes.rules.on) && (
          <Part
            name={trans.__('Auto-apply')}
            {...part('rules')}
            aside={session.modes.rules.list.length || undefined}
          >
            <RulesView rules={session.modes.rules} />
          </Part>
        )}
        {canReplay && (
          <Part
            name={trans.__('Replays')}
            {...part('replays')}
            aside={replays!.count(chat) || undefined}
          >
            {replays!.render(chat)}
          </Part>
        )}
      </div>
      <Footer
        hash={request.hash}
        name={request.base.debugName}
        version={versions.length}
        parity={parity.value}
        onParity={() => void parity.show(trans)}
        onVersions={part('versions').onToggle}
        autoApply={session.modes.rules.on}
        onAutoApply={on => {
          session.modes.rules.on = on;
        }}
      >
        {canReplay && (
          <TextButton
            primary
            label={trans.__('Replay edited prompt')}
            title={trans.__(
              'Show this request as a chat; the model is not called'
            )}
            onClick={() => void replays!.replay(chat)}
          />
        )}
        <TextButton
          label={trans.__('Reset')}
          title={trans.__('Discard all edits (undo restores them)')}
          disabled={!draft.isEdited}
          onClick={() => draft.reset()}
        />
        <TextButton
          label={trans.__('Diff')}
          title={trans.__('Mark what was changed')}
          pressed={state.diff}
          onClick={() => {
            state.diff = !state.diff;
            redraw();
          }}
        />
      </Footer>
    </>
  );
}

function Notices({ request }: { request: IEditedRequest }): JSX.Element {
  const trans = useWords();
  const { base, problems } = request;
  const fatal = problems.filter(problem => problem.fatal);
  const isUnwritten = fatal.length === 1 && isComposers(request, fatal[0]);
  return (
    <>
      {base.source === 'reconstructed' && (
        <Banner kind="warning">
          {!base.expected
            ? trans.__(
                'This pair was not sent from here; this is made from the cells as they are now.'
              )
            : base.expected !== request.hash
              ? trans.__(
                  'Reconstructed: the journal no longer has these bytes, and what the cells say now has another hash than what was sent.'
                )
              : trans.__(
                  'Reconstructed: the journal no longer has these bytes; this is made from the cells as they are now.'
                )}
        </Banner>
      )}
      {isUnwritten && (
        <Banner kind="info">
          {trans.__('Write a message to see what is sent with it.')}
        </Banner>
      )}
      {fatal.length > 0 && !isUnwritten && (
        <Banner kind="error">
          <span>
            {trans.__('This cannot be sent: %1', fatal[0].message)}
            {fatal.length > 1 &&
              ` ${trans.__('(and %1 more)', fatal.length - 1)}`}
          </span>
        </Banner>
      )}
    </>
  );
}

/** Whether the only problem is that the composer is still empty. */
function isComposers(
  { sections }: IEditedRequest,
  { section: id }: IRequestProblem
): boolean {
  const section = sections.find(section => section.id === id);
  return (
    section?.kind === 'user' &&
    !section.edited &&
    section.message.content === ''
  );
}
