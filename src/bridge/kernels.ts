import type { KernelSpec } from '@jupyterlab/services';
import type { PartialJSONObject } from '@lumino/coreutils';

/** Names that models use for languages, beside those of kernels. */
const ALIASES: Readonly<Record<string, string>> = {
  py: 'python',
  python3: 'python',
  ipython: 'python',
  ipython3: 'python',
  js: 'javascript',
  ts: 'typescript',
  rs: 'rust',
  jl: 'julia',
  rb: 'ruby',
  sh: 'bash',
  shell: 'bash',
  'c++': 'c++17'
};

/** The name of a language, as kernels say it. */
export function languageName(language: string): string {
  const name = language.toLowerCase();
  return Object.hasOwn(ALIASES, name) ? ALIASES[name] : name;
}

/**
 * The metadata by which a notebook starts with a kernel of a language: the default kernel if it is
 * of that language or if there is none, else the first. Without a kernel of that language it is
 * empty, and JupyterLab asks.
 */
export function kernelMetadata(
  specs: KernelSpec.ISpecModels | null,
  language: string
): PartialJSONObject {
  const all = Object.values(specs?.kernelspecs ?? {}).flatMap(
    spec => spec ?? []
  );
  const fits = (spec: KernelSpec.ISpecModel) =>
    !language || spec.language.toLowerCase() === languageName(language);
  const spec =
    all.find(one => one.name === specs?.default && fits(one)) ?? all.find(fits);
  return spec
    ? {
        kernelspec: {
          name: spec.name,
          display_name: spec.display_name,
          language: spec.language
        }
      }
    : {};
}
