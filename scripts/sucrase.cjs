/**
 * Turns TypeScript and ES modules into what jest can run. It leaves types to `jlpm lint:types` and
 * syntax that Node knows as it is, so that a first run on a new machine is not mostly waiting.
 */
const { createHash } = require('crypto');
const fs = require('fs');
const { transform, getVersion } = require('sucrase');

const SELF = fs.readFileSync(require.resolve('./sucrase.cjs'));

module.exports = {
  getCacheKey: (source, file, { configString }) =>
    createHash('sha256')
      .update(SELF)
      .update(getVersion())
      .update(configString)
      .update(file)
      .update('\0')
      .update(source)
      .digest('hex')
      .slice(0, 32),
  process(source, file) {
    const typescript = /\.tsx?$/.test(file);
    const { code, sourceMap } = transform(source, {
      transforms: [
        'imports',
        'jest',
        ...(typescript ? ['typescript'] : []),
        ...(/x$/.test(file) ? ['jsx'] : [])
      ],
      disableESTransforms: true,
      enableLegacyTypeScriptModuleInterop: false,
      production: true,
      filePath: file,
      sourceMapOptions: { compiledFilename: file }
    });
    return { code, map: { ...sourceMap, sourcesContent: [source] } };
  }
};
