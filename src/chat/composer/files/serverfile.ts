/** Freezes files of the server. */
import type { Contents } from '@jupyterlab/services';

import { fromBase64 } from '../../../base/base64';
import type { IFileCheck } from '../../../base/run';
import { trans } from '../../../base/words';
import {
  frozenText,
  referenceAttachment,
  type IReference
} from '../../../document/references';
import type { TurnbookAPI } from '../../../runs/api';
import { FileProblem, readFile, type IRead } from './readfile';

/** Reads files of the server. */
export interface IFileReader {
  contents: Pick<Contents.IManager, 'driveName' | 'get' | 'localPath'>;
  api: Pick<TurnbookAPI, 'checkFile'>;
}

/** The drives with the server's own folder: the default one, and that of jupyter-collaboration. */
const SERVER_DRIVES = ['', 'RTC'];

/** Languages by the ends of names; of others the end itself is no language. */
const LANGUAGES: Readonly<Record<string, string>> = {
  c: 'c',
  cpp: 'cpp',
  css: 'css',
  csv: 'csv',
  go: 'go',
  html: 'html',
  java: 'java',
  jl: 'julia',
  js: 'javascript',
  json: 'json',
  md: 'markdown',
  py: 'python',
  r: 'r',
  rs: 'rust',
  sh: 'bash',
  sql: 'sql',
  tex: 'latex',
  toml: 'toml',
  ts: 'typescript',
  tsx: 'tsx',
  yaml: 'yaml',
  yml: 'yaml'
};

/** What a path leads to; another drive than the server's is asked when the file is read. */
export async function serverFileKind(
  path: string,
  {
    contents,
    api
  }: Pick<IFileReader, 'api'> & {
    contents: Pick<Contents.IManager, 'driveName' | 'localPath'>;
  }
): Promise<IFileCheck['kind']> {
  return SERVER_DRIVES.includes(contents.driveName(path))
    ? (await api.checkFile(contents.localPath(path))).kind
    : 'file';
}

/** Reject with a `FileProblem` if a file of the server may not be referred to. */
export async function checkServerFile(
  path: string,
  reader: IFileReader
): Promise<void> {
  const kind = await serverFileKind(path, reader);
  if (kind !== 'file') {
    throw new FileProblem(refusal(path, kind));
  }
}

/** Freeze a file of the server. Rejects with a `FileProblem` if that is not possible. */
export async function freezeFile(
  path: string,
  reader: IFileReader,
  at: number = Date.now()
): Promise<IRead> {
  const { contents } = reader;
  await checkServerFile(path, reader);
  const { name, size, type } = await contents.get(path, { content: false });
  if (type === 'directory') {
    throw new FileProblem(
      trans.__('%1 is a folder. Attach the files in it.', name)
    );
  }
  const { file, note } = await readFile({
    name,
    size: size ?? 0,
    bytes: async () => {
      const file = await contents.get(path, {
        content: true,
        format: 'base64',
        type: 'file'
      });
      return fromBase64(String(file.content).replace(/\s/g, ''));
    }
  });
  const end = /\.(\w+)$/.exec(name)?.[1].toLowerCase() ?? '';
  const reference: IReference = {
    kind: 'file',
    path,
    name: path,
    at,
    ...(Object.hasOwn(LANGUAGES, end) ? { language: LANGUAGES[end] } : {})
  };
  const text = frozenText(file.data);
  return {
    file:
      text === null
        ? { ...file, reference }
        : referenceAttachment(reference, text),
    ...(note ? { note } : {})
  };
}

function refusal(
  path: string,
  kind: 'missing' | 'outside' | 'hidden' | 'special'
): string {
  switch (kind) {
    case 'missing':
      return trans.__('%1 is not attached: there is no such file.', path);
    case 'outside':
      return trans.__(
        '%1 is not attached: it is outside the folder of the server, or a link that leads out of it. Copy it into the folder.',
        path
      );
    case 'hidden':
      return trans.__(
        '%1 is not attached: it is hidden. Copy it to a name without a dot if you want to send it.',
        path
      );
    case 'special':
      return trans.__(
        '%1 is not attached: it is a device, a pipe or a socket, not a file.',
        path
      );
  }
}
