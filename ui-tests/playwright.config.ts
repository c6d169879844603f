import { defineConfig, type ReporterDescription } from '@playwright/test';
import * as fs from 'fs';
import * as path from 'path';
import { basePort, port, stateFile, workers } from './support/provider';

const root = path.join(__dirname, '..');

interface IProject {
  name: string;
  python: string;
  grep?: RegExp;
  grepInvert?: RegExp;
}

/** Tests on the pages of Jupyter Notebook. */
const NOTEBOOK = /@notebook/;

/** One test of each important way through Turnbook, for other environments. */
const SMOKE = /@smoke/;

/** The few of them that show whether the page works at all, for other versions of JupyterLab. */
const CORE = /@core/;

const known: IProject[] = [
  {
    name: 'lab',
    python: process.env.TURNBOOK_PYTHON ?? path.join(root, '.venv/bin/python'),
    grepInvert: NOTEBOOK
  },
  {
    // The same server, on its pages for Jupyter Notebook.
    name: 'notebook',
    python: process.env.TURNBOOK_PYTHON ?? path.join(root, '.venv/bin/python'),
    grep: NOTEBOOK
  },
  {
    // The same extension from its wheel, next to jupyter-collaboration.
    name: 'collaboration',
    python:
      process.env.TURNBOOK_RTC_PYTHON ??
      path.join(root, '.venv-rtc/bin/python'),
    grep: SMOKE
  },
  // From its wheel too, in the oldest JupyterLab that it supports, and in the newest.
  {
    name: 'oldest',
    python:
      process.env.TURNBOOK_OLDEST_PYTHON ??
      path.join(root, '.venv-oldest/bin/python'),
    grep: CORE
  },
  {
    name: 'newest',
    python:
      process.env.TURNBOOK_NEWEST_PYTHON ??
      path.join(root, '.venv-newest/bin/python'),
    grep: CORE
  }
];

/** The projects named on the command line; by default, those whose environment exists. */
function wanted(): IProject[] {
  const named = process.argv.flatMap((argument, i) => {
    const [option, value] = argument.split('=');
    return option === '--project' ? [value ?? process.argv[i + 1]] : [];
  });
  return known.filter(project =>
    named.length ? named.includes(project.name) : fs.existsSync(project.python)
  );
}

/** A Chromium on this machine; without one, Playwright looks for its own. */
function chromium(): string | undefined {
  if (process.env.TURNBOOK_CHROMIUM) {
    return process.env.TURNBOOK_CHROMIUM;
  }
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return [
    'chromium-headless-shell',
    'chromium',
    'chromium-browser',
    'google-chrome'
  ]
    .flatMap(name => folders.map(folder => path.join(folder, name)))
    .find(file => fs.existsSync(file));
}

const results = process.env.TURNBOOK_UI_RESULTS;
const reporters: ReporterDescription[] = [['list']];
if (results) {
  reporters.push(['json', { outputFile: results }]);
}
const serverOutput: 'pipe' | 'ignore' = process.env.TURNBOOK_UI_LOG
  ? 'pipe'
  : 'ignore';

export default defineConfig({
  testDir: path.join(__dirname, 'tests'),
  reporter: reporters,
  forbidOnly: !!process.env.CI,
  fullyParallel: false,
  workers,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  use: {
    actionTimeout: 15_000,
    navigationTimeout: 60_000,
    viewport: { width: 1280, height: 800 },
    screenshot: 'only-on-failure',
    trace: 'off',
    video: 'off',
    launchOptions: {
      executablePath: chromium(),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--disable-quic'
      ]
    }
  },
  projects: known.map(({ name, grep, grepInvert }) => ({
    name,
    grep,
    grepInvert,
    // Each project empties its own folder at its start.
    outputDir: path.join(__dirname, 'test-results', `${basePort}-${name}`)
  })),
  webServer: wanted().flatMap(project =>
    Array.from({ length: workers }, (_, worker) => server(project, worker))
  )
});

/** Starts the servers of a project for a worker. */
function server({ name, python }: IProject, worker: number) {
  const at = port(name, worker);
  return {
    name: `${name} ${worker}`,
    command: [
      `"${python}"`,
      `"${path.join(__dirname, 'support/serve.py')}"`,
      `--port ${at}`,
      `--state "${stateFile(name, worker)}"`
    ].join(' '),
    url: `http://127.0.0.1:${at}/lab`,
    cwd: __dirname,
    gracefulShutdown: { signal: 'SIGTERM' as const, timeout: 15_000 },
    // A leftover server may run an older build.
    reuseExistingServer: false,
    stdout: serverOutput,
    stderr: serverOutput,
    timeout: 120_000
  };
}
