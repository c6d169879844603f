import type { ISharedNotebook } from '@jupyter/ydoc';

import { trans } from '../base/words';
import { errorMessage } from '../base/errors';
import { isAlive, turnKey, type IRun } from '../base/run';
import { chooseReply } from '../document/choice';
import { isLastRound, removeRound, type Results } from '../document/continue';
import { findPair, lastCell } from '../document/landing';
import { Pair } from '../document/pair';
import { partsOf } from '../document/parts';
import { settleLost } from '../document/resend';
import { pastVersions, siblingsOf, type ReplySlot } from '../document/siblings';
import { withholdImages } from '../document/withoutimages';
import { ApiError, type TurnbookAPI } from '../runs/api';
import type { ChatAbout } from './about';
import type { RunClaims } from './claims';
import { runsOf } from './deletedpairs';
import type { ChatEntry } from './entry';
import type { ChatFile } from './file';
import type { RunFollower } from './follower';
import type { Notice } from './notice';
import type { OwnRuns } from './ownruns';
import { groupRuns, restoredWith, type IRecoveredRun } from './recovery';
import type { RequestHost } from './requesthost';
import { keepResults } from './results';
import type { Sender } from './sender';
import { hasOther } from './sentbefore';
import { sentPairs } from './sentpairs';
import { withWholeCell } from './wholecell';

/** Why no reply of a pair can be chosen that is on its way to the server. */
export const postingWords = () =>
  trans.__('This message is still being sent: wait for that, or stop it.');

/** Whether a part of a reply is kept out, from which another attempt may go on. */
const hasUnsentReply = (slot: ReplySlot | undefined) =>
  partsOf(slot?.parts ?? []).some(
    ({ kind, isSent }) => kind !== 'attachment' && !isSent
  );

/** The user's actions on pairs and their runs, besides sending. */
export class PairActions {
  constructor(private _options: PairActions.IOptions) {}

  /**
   * Delete a pair; Ctrl+Z restores it, with its reply.
   *
   * A run in progress is stopped, and the journal keeps what arrived.
   */
  async delete(pair: string): Promise<void> {
    const { notebook, runs, sender } = this._options;
    const index = notebook.cells.findIndex(cell => cell.getId() === pair);
    if (index === -1) {
      return;
    }
    const present = Pair.find(notebook, pair);
    const infos = present ? runsOf(present) : [];
    notebook.deleteCell(index);
    if (!notebook.cells.length) {
      // JupyterLab would add a cell itself, as an undo step that keeps coming back.
      notebook.transact(() => {
        notebook.insertCell(0, { cell_type: 'code', source: '', metadata: {} });
      }, false);
    }
    const lives = runs.drop(pair);
    const { posting } = sender;
    if (posting?.run.pair === pair) {
      posting.delete();
      return;
    }
    const ids = lives.map(({ id }) => id);
    const others = infos.filter(
      ({ sibling = 0 }) => !lives.some(live => (live.sibling ?? 0) === sibling)
    );
    for (const run of [...ids, ...others.map(({ runId }) => runId)]) {
      await this._drop(
        pair,
        run,
        lives.find(({ id }) => id === run)
      );
    }
  }

  /** Restore a run of a deleted pair in the document, with the other replies of its group. */
  async recover(run: IRun): Promise<void> {
    const { api, claims, file, notebook, notice, runs } = this._options;
    const { pair } = run;
    try {
      const group = groupRuns(await claims.attempts(pair), run);
      const isPresent = findPair(notebook, pair) !== null;
      const found: IRun[] = [];
      for (const one of restoredWith(group, run, isPresent)) {
        runs.undrop(one);
        const back = await claims.drop(one.id, false);
        found.push(await withWholeCell(api, back));
      }
      for (const back of found) {
        runs.follow({ ...back, dropped: false, landed: false });
      }
      if (run.group !== undefined && settleLost(notebook, pair, group)) {
        file.autosave();
      }
    } catch (error) {
      notice.say(
        trans.__('The reply could not be restored: %1', errorMessage(error))
      );
    }
  }

  /** Append the pair of a chat whose file is gone. */
  async adopt({ run, ...reply }: IRecoveredRun): Promise<void> {
    const { about, api, file, notebook, ready, runs } = this._options;
    await ready();
    about.ensure();
    const after = lastCell(notebook);
    const whole = await withWholeCell(api, run);
    await runs.adopt({ ...reply, run: { ...whole, dropped: false, after } });
    if (settleLost(notebook, run.pair, [run])) {
      // The others of its group, which the user may give this chat too.
      file.autosave();
    }
    // The user gives this chat a reply of another one.
    await api.landRun(run.chat, run.id);
  }

  /**
   * Stop the replies in progress, and the wait for a next attempt. What has arrived stays.
   *
   * @param turn - The pair, and which of several replies to it; without it, all of them.
   */
  async stop(turn?: { pair: string; sibling: number }): Promise<void> {
    const { runs, sender } = this._options;
    const isMeant = (run: IRun) => !turn || turnKey(run) === turnKey(turn);
    if (sender.posting && !turn) {
      sender.posting.giveUp();
      return;
    }
    // The others of its group are sent.
    await (turn && sender.posting?.stop(turn));
    const alive = runs.inProgress.filter(isMeant);
    const waiting = runs.allWaiting.filter(isMeant);
    await Promise.all([
      ...alive.map(run => this._stop(run)),
      ...waiting.map(({ pair, sibling }) => this._stopAutoRetry(pair, sibling))
    ]);
  }

  private async _stop(run: IRun): Promise<void> {
    const { claims, notice, runs } = this._options;
    try {
      const stopped = await claims.stop(run.id);
      runs.live(run.pair, run.sibling)?.update(stopped);
    } catch (error) {
      notice.say(
        trans.__('The reply could not be stopped: %1', errorMessage(error))
      );
    }
  }

  /**
   * Start another attempt at a pair's reply.
   *
   * The server repeats the bytes of the newest one. A pair that shows an earlier one, because that
   * was restored, or one that this server has no record of, is sent again with what is visible above
   * it. So is one of which a part is not sent, or of a pair before it, since those bytes may have it.
   * One of several replies is not: that would ask all models again. It is refused if its bytes are not
   * to be repeated.
   *
   * @param sibling - Which of several replies; by default, the one that is chosen.
   */
  async retry(pair: string, sibling?: number): Promise<void> {
    const { about, claims, entry, notebook, notice, own, runs, sender } =
      this._options;
    await this._options.ready();
    const present = Pair.find(notebook, pair);
    const group = present?.run?.group;
    // Siblings do not wait for each other.
    const isFree =
      sender.posting === null && (group ?? '') === sender.busy?.group;
    if (!about.info || !present || (sender.busy && !isFree)) {
      return;
    }
    const wanted = sibling ?? present.run?.sibling;
    const siblings = siblingsOf(present);
    const slot = siblings.find(({ index }) => index === wanted)?.slot;
    const isWithheld =
      sentPairs(notebook, pair).some(({ text }) => text.isWithheld) ||
      hasUnsentReply(slot);
    const isChosen = wanted === present.run?.sibling;
    if (isWithheld && isChosen && present.text.rounds.length) {
      await this._options.goOn(pair, present.rounds.length - 1);
      return;
    }
    if (isWithheld && !siblings.length) {
      await this._sendAgain(present);
      return;
    }
    try {
      const newest = await claims.newest(pair, wanted);
      const past = pastVersions(present).map(place => present.versions[place]);
      if (
        past.some(({ runId }) => runId === newest) ||
        (isWithheld && !(await this._isAsSent(present, slot, newest)))
      ) {
        await this._sendAgain(present);
        return;
      }
      const wish = { now: true, ...(wanted ? { sibling: wanted } : {}) };
      const { run } = await claims.retry(pair, wish);
      own.add(run.id);
      runs.follow(run);
      notice.say(null);
    } catch (error) {
      const isKnown = entry.chatId !== null;
      if (isKnown && error instanceof ApiError && error.status === 404) {
        await this._sendAgain(present);
      } else {
        notice.say(
          trans.__('No new attempt was made: %1', errorMessage(error))
        );
      }
    }
  }

  /** Whether the request of one of several replies has nothing that is kept out now. */
  private async _isAsSent(
    pair: Pair,
    slot: ReplySlot | undefined,
    run: string | null
  ): Promise<boolean> {
    const { host, notebook } = this._options;
    if (run === null || hasUnsentReply(slot)) {
      return false;
    }
    const body = await host.firstRequest(run);
    const now = host.sentPair(pair.id)?.context.messages ?? [];
    return body !== null && !hasOther(notebook, pair, body, now);
  }

  /** Send a pair again instead of the bytes of its request, unless it has several replies. */
  private async _sendAgain(pair: Pair): Promise<void> {
    if (siblingsOf(pair).length) {
      this._options.notice.say(
        trans.__(
          'Nothing was sent: this reply alone cannot be asked for again. Use Regenerate or Edit & Resend to ask all models again.'
        )
      );
      return;
    }
    await this._options.resend(pair.id, pair.source);
  }

  /** Send a pair again, without the images that are attached to it and to the pairs before it. */
  async sendWithoutImages(pair: string): Promise<void> {
    const { file, notebook, sender } = this._options;
    await this._options.ready();
    const present = Pair.find(notebook, pair);
    if (!present || sender.busy) {
      return;
    }
    if (siblingsOf(present).length) {
      this._options.notice.say(
        trans.__(
          'Nothing was sent: all these replies answer one request. To ask all models again without the images, choose not to send them (the eye), then use Regenerate.'
        )
      );
      return;
    }
    const sent = sentPairs(notebook, pair).map(({ id }) => id);
    withholdImages(notebook, new Set(sent));
    file.autosave();
    await this._options.resend(pair, present.source);
  }

  /**
   * Stop automatic retries of a pair's replies; returns whether that was possible.
   *
   * @param sibling - Which of several replies; without it, all that are waiting or in progress.
   */
  async stopAutoRetry(pair: string, sibling?: number): Promise<boolean> {
    const { runs } = this._options;
    const open = [...runs.allWaiting, ...runs.inProgress].filter(
      run => sibling === undefined && run.pair === pair
    );
    const siblings = open.length
      ? new Set(open.map(run => run.sibling ?? 0))
      : [sibling];
    const stopped = await Promise.all(
      [...siblings].map(one => this._stopAutoRetry(pair, one))
    );
    return stopped.every(Boolean);
  }

  private async _stopAutoRetry(
    pair: string,
    sibling?: number
  ): Promise<boolean> {
    const { claims, notice, runs } = this._options;
    try {
      const wish = { auto: false, ...(sibling ? { sibling } : {}) };
      const { run } = await claims.retry(pair, wish);
      runs.learn(run);
      return true;
    } catch (error) {
      notice.say(
        trans.__('Auto-retry could not be stopped: %1', errorMessage(error))
      );
      return false;
    }
  }

  /** Let a pair say another of its replies, as a step of undo; not while it can be taken back. */
  choose(pair: string, sibling: number): void {
    const { file, notebook, notice, runs, sender } = this._options;
    if (sender.posting?.run.pair === pair) {
      notice.say(postingWords());
      return;
    }
    const present = Pair.find(notebook, pair);
    if (present && chooseReply(notebook, present, sibling)) {
      runs.keepSiblings(present);
      file.autosave();
    }
  }

  /** Write down results of tools; nothing is sent. */
  writeResults(pair: string, round: number, written: Results): void {
    const { file, notebook } = this._options;
    keepResults(notebook, file, pair, round, written);
  }

  /**
   * Write down results that a turn waits for, before it continues.
   *
   * Those of an earlier round are written when it does: a version keeps what they replace.
   */
  writeAwaited(pair: string, round: number, written: Results): void {
    const { parts = [] } = Pair.find(this._options.notebook, pair) ?? {};
    if (isLastRound(parts, round)) {
      this.writeResults(pair, round, written);
    }
  }

  /** Remove a round of tool calls from a pair; it is kept as a version. */
  removeRound(pair: string, round: number): void {
    const { file, notebook, sender } = this._options;
    const cell = findPair(notebook, pair);
    if (cell && !sender.busy) {
      removeRound(notebook, cell, round);
      file.autosave();
    }
  }

  /** Tell the server that a pair was deleted. */
  private async _drop(
    pair: string,
    run: string,
    live: IRun | null | undefined
  ): Promise<void> {
    const { claims, notebook, notice, runs } = this._options;
    try {
      if (live && isAlive(live)) {
        await claims.stop(run);
      }
      if (!findPair(notebook, pair)) {
        await claims.drop(run);
      }
      if (findPair(notebook, pair)) {
        // Undone while the server was being told: in the end the pair stays.
        const back = await claims.drop(run, false);
        if (live) {
          runs.follow(back);
        }
      }
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) {
        notice.say(
          trans.__(
            'The deletion could not be reported to the server: %1',
            errorMessage(error)
          )
        );
      }
    }
  }
}

/**
 * The namespace for `PairActions` statics.
 */
export namespace PairActions {
  export interface IOptions {
    about: Pick<ChatAbout, 'info' | 'ensure'>;
    api: Pick<TurnbookAPI, 'getCell' | 'landRun'>;
    claims: RunClaims;
    entry: Pick<ChatEntry, 'chatId'>;
    file: Pick<ChatFile, 'autosave'>;
    host: Pick<RequestHost, 'firstRequest' | 'sentPair'>;
    notebook: ISharedNotebook;
    notice: Notice;
    own: OwnRuns;
    runs: RunFollower;
    /** Resolves when the chat is open. */
    ready: () => Promise<void>;
    sender: Pick<Sender, 'busy' | 'posting'>;
    /** Continue a pair's turn from one of its tool rounds. */
    goOn: (pair: string, round: number) => Promise<void>;
    /** Send a pair again. */
    resend: (pair: string, text: string) => Promise<void>;
  }
}
