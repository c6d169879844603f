import { readFileSync } from 'fs';
import { resolve } from 'path';
import { parse } from 'yaml';

import { isExposed, NAME_PATTERN, nameProblem, urlProblem } from '../validate';
import { english } from '../../runs/__tests__/english';

describe('nameProblem', () => {
  it('uses the pattern of the API contract', () => {
    const contract = parse(
      readFileSync(
        resolve(__dirname, '../../../jupyterlab_turnbook/openapi.yaml'),
        'utf8'
      )
    );
    const [name] = contract.paths['/providers/{name}'].parameters;
    expect(NAME_PATTERN.source).toBe(name.schema.pattern);
  });

  it.each(['openai', 'my.server-2_x', '7', 'a'.repeat(64)])(
    'takes %s',
    name => {
      expect(nameProblem(name, [], english)).toBeNull();
    }
  );

  it.each(['', '-x', '.x', 'a b', 'a/b', 'ä', 'a'.repeat(65)])(
    'refuses %j',
    name => {
      expect(nameProblem(name, [], english)).toBeTruthy();
    }
  );

  it('rejects a name in use and says what to do', () => {
    expect(nameProblem('openai', ['local', 'openai'], english)).toContain(
      'Edit that one'
    );
  });
});

describe('urlProblem', () => {
  it.each([
    'https://api.openai.com/v1',
    'http://localhost:11434/v1/',
    'http://[::1]:8000',
    'HTTPS://Example.org/openai'
  ])('takes %s', url => {
    expect(urlProblem(url, english)).toBeNull();
  });

  it.each([
    ['', 'Enter the address'],
    ['localhost:11434/v1', 'not a web address'],
    ['api.openai.com', 'not a web address'],
    ['http://', 'not a web address'],
    ['http:///v1', 'not a web address'],
    ['ftp://example.org', 'not a web address'],
    ['javascript:alert(1)', 'not a web address'],
    ['https://me:secret@example.org/v1', 'user name and password'],
    ['https://example.org/v1?key=1', '“?”'],
    ['https://example.org/v1#x', '“#”'],
    ['https://example.org/v1/chat/completions', 'Leave out “/chat/completions”']
  ])('refuses %j', (url, words) => {
    expect(urlProblem(url, english)).toContain(words);
  });
});

describe('isExposed', () => {
  it.each(['http://example.org/v1', 'http://192.168.1.2:8000', 'http://a.lan'])(
    'warns of %s',
    url => {
      expect(isExposed(url)).toBe(true);
    }
  );

  it.each([
    'https://example.org/v1',
    'http://localhost:1234/v1',
    'http://127.0.0.1:8000',
    'http://[::1]:8000',
    'not an address'
  ])('does not warn of %s', url => {
    expect(isExposed(url)).toBe(false);
  });
});
