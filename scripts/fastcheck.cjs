/**
 * The package `fast-check` as tests import it: with the same examples in each run, so that none
 * fails by chance. `TURNBOOK_SEED` chooses others.
 */
const fc = require('../node_modules/fast-check/lib/cjs/fast-check.js');

fc.configureGlobal({ seed: Number(process.env.TURNBOOK_SEED ?? 20261117) });

module.exports = fc;
