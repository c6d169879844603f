import type { PlaywrightTestConfig } from '@playwright/test';
import * as path from 'path';

import tests from './playwright.config';

/**
 * `make screenshot`: makes the pictures in docs/ with the servers and the browser of the UI tests.
 */
const config: PlaywrightTestConfig = {
  ...tests,
  testDir: path.join(__dirname, 'screenshot')
};

export default config;
