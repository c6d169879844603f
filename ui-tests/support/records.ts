import { spawnSync } from 'child_process';
import * as path from 'path';

const PYTHON =
  process.env.TURNBOOK_PYTHON ??
  path.join(__dirname, '..', '..', '.venv/bin/python');

/** The `jupyter` of the environment with Turnbook. */
export const JUPYTER = path.join(path.dirname(PYTHON), 'jupyter');

/** Check a record on the command line. */
export function verify(
  file: string,
  ...options: string[]
): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(
    JUPYTER,
    ['turnbook', 'verify', ...options, file],
    {
      encoding: 'utf-8',
      env: {
        ...process.env,
        PATH: `${path.dirname(JUPYTER)}:${process.env.PATH}`
      }
    }
  );
  return { status, said: stdout + stderr };
}
