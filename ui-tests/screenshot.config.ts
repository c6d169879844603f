import type { PlaywrightTestConfig } from '@playwright/test';
import * as path from 'path';

import tests from './playwright.config';

/** `make screenshot`: the servers and the browser of the UI tests, for the pictures in docs/. */
const config: PlaywrightTestConfig = {
  ...tests,
  testDir: path.join(__dirname, 'screenshot')
};

export default config;
