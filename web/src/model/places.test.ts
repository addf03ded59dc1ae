import { describe, expect, it } from 'vitest';
import type { Build } from '../api/types';
import { editorLink, importPath, isLocal, localPath, repositoryLink, type Template } from './places';

describe('importPath', () => {
  it.each([
    ['net/http.(*conn).serve', 'net/http'],
    ['main.main.func1', 'main'],
    ['github.com/o/r/pkg.Map[go.shape.struct { F *github.com/x/y.T }].Get', 'github.com/o/r/pkg'],
    ['gopkg.in/yaml%2ev3.Unmarshal', 'gopkg.in/yaml.v3'],
    ['memmove', ''],
  ])('%s', (fn, want) => expect(importPath(fn)).toBe(want));
});

describe('editorLink', () => {
  it.each([
    ['/home/a b/x.go', 'vscode://file/home/a%20b/x.go:7', 'goland://open?file=%2Fhome%2Fa%20b%2Fx.go&line=7'],
    ['C:\\src\\x.go', 'vscode://file/C%3A/src/x.go:7', 'goland://open?file=C%3A%5Csrc%5Cx.go&line=7'],
    ['/src/x.go?windowId=_blank#&y', 'vscode://file/src/x.go%3FwindowId%3D_blank%23%26y:7',
      'goland://open?file=%2Fsrc%2Fx.go%3FwindowId%3D_blank%23%26y&line=7'],
  ])('%s', (path, vscode, goland) => {
    expect([editorLink('vscode', path, 7), editorLink('goland', path, 7)]).toEqual([vscode, goland]);
  });
  // Another machine would learn who looks at the profile, a terminal would act on it, or it isn't known where it is.
  it.each([
    '//evil/share/x.go', '\\\\evil\\share\\x.go', '/a\u001b[2Jx.go', '/a\u202eog.x', '/a/../../etc/passwd', 'github.com/o/r/x.go', '',
  ])(
    'no link to %j', (path) => expect([isLocal(path), editorLink('vscode', path, 1)]).toEqual([false, '']),
  );
  it('finds the file on this computer', () => {
    expect(localPath('/build/shop/x.go', '/build/', '/home/me/')).toBe('/home/me/shop/x.go');
    expect(localPath('/other/x.go', '/build/', '/home/me/')).toBe('/other/x.go');
    expect(localPath('/x.go', '', '/home/me/')).toBe('/x.go');
  });
});

describe('repositoryLink', () => {
  const commit = '0123456789abcdef0123456789abcdef01234567';
  const built: Build = { package: 'github.com/o/r/cmd/app', module: 'github.com/o/r', revision: commit, go: 'go1.26.8 X:synctest' };
  const own: Template = { prefix: 'example.com/shop', link: 'https://git.example.com/team/shop/src/{ref}/{path}?line={line}' };
  type Case = [what: string, fn: string, file: string, build: Build | null, template: Template | null, want: string | null];
  const cases: Case[] = [
    ['own code', 'github.com/o/r/pkg.F', '/home/me/r/pkg/f.go', built, null, `https://github.com/o/r/blob/${commit}/pkg/f.go#L7`],
    ['the root of a module', 'github.com/o/r.F', '/home/me/r/f.go', built, null, `https://github.com/o/r/blob/${commit}/f.go#L7`],
    ['package main', 'main.main', '/home/me/r/cmd/app/main.go', built, null, `https://github.com/o/r/blob/${commit}/cmd/app/main.go#L7`],
    ['trimmed paths', 'main.main', 'github.com/o/r/cmd/app/main.go', built, null,
      `https://github.com/o/r/blob/${commit}/cmd/app/main.go#L7`],
    ['a major version', 'github.com/o/r/v2/pkg.F', '/r/pkg/f.go', built, null, `https://github.com/o/r/blob/${commit}/pkg/f.go#L7`],
    ['a file elsewhere', 'github.com/o/r/pkg.F', '/generated/f.go', built, null, null],
    ['a version', 'github.com/o/r/pkg.F', '/r/pkg/f.go', { version: 'v1.2.3' }, null, 'https://github.com/o/r/blob/v1.2.3/pkg/f.go#L7'],
    ['a pseudo-version', 'gitlab.com/o/r/pkg.F', '/r/pkg/f.go', { version: 'v0.0.0-20250419174037-3d62b7205d54+dirty' }, null,
      'https://gitlab.com/o/r/-/blob/3d62b7205d54/pkg/f.go#L7'],
    ['a revision as version', 'github.com/o/r/pkg.F', '/r/pkg/f.go', { version: '3d62b7205d54+dirty' }, null,
      'https://github.com/o/r/blob/3d62b7205d54/pkg/f.go#L7'],
    ['a version that is none', 'github.com/o/r/pkg.F', '/r/pkg/f.go', { version: 'blue' }, null, null],
    ['nothing known', 'github.com/o/r/pkg.F', '/r/pkg/f.go', null, null, null],
    ['a dependency', 'github.com/BurntSushi/toml.Decode', '/go/pkg/mod/github.com/!burnt!sushi/toml@v1.3.2/decode.go', null, null,
      'https://github.com/BurntSushi/toml/blob/v1.3.2/decode.go#L7'],
    ['a dependency, trimmed', 'golang.org/x/sync/errgroup.F', 'golang.org/x/sync@v0.7.0/errgroup/e.go', null, null,
      'https://github.com/golang/sync/blob/v0.7.0/errgroup/e.go#L7'],
    ['a module in a folder', 'cloud.F', '/pkg/mod/github.com/o/r/sub/v2@v2.1.0/f.go', null, null,
      'https://github.com/o/r/blob/sub/v2.1.0/sub/f.go#L7'],
    ['the standard library', 'net/http.(*conn).serve', '/usr/local/go/src/net/http/server.go', built, null,
      'https://github.com/golang/go/blob/go1.26.8/src/net/http/server.go#L7'],
    ['a downloaded toolchain', 'runtime.mallocgc', '/m/golang.org/toolchain@v0.0.1-go1.25.1.linux-amd64/src/runtime/malloc.go', null, null,
      'https://github.com/golang/go/blob/go1.25.1/src/runtime/malloc.go#L7'],
    ['the standard library of an unknown Go', 'runtime.mallocgc', '/usr/local/go/src/runtime/malloc.go', null, null, null],
    ['another host', 'example.com/shop/cart.F', '/src/shop/cart/f.go', built, null, null],
    ['another host with a template', 'example.com/shop/cart.F', '/src/shop/cart/f.go', built, own,
      `https://git.example.com/team/shop/src/${commit}/cart/f.go?line=7`],
    ['a template that runs', 'example.com/shop/cart.F', '/src/shop/cart/f.go', built, { ...own, link: 'javascript:alert({line})' }, null],
    ['a hostile name', 'github.com/o/r/pkg.F', 'github.com/o/r/<img src=x>/f.go', built, null, null],
    ['a way out', 'github.com/o/r/pkg.F', 'github.com/o/r/../../f.go', built, null, null],
    ['a hostile version', 'x.F', '/pkg/mod/github.com/o/r@v1"onclick=/f.go', built, null, null],
  ];
  it.each(cases)('%s', (_, fn, file, build, template, want) => {
    expect(repositoryLink({ fn, file, line: 7 }, build, template)?.href ?? null).toBe(want);
  });
});
