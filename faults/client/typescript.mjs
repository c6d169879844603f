import ts from 'typescript';

/** Turns TypeScript into JavaScript for webpack; `make lint` checks the types. */
export default function (source) {
  const options = {
    jsx: ts.JsxEmit.React,
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2022
  };
  return ts.transpileModule(source, { compilerOptions: options }).outputText;
}
