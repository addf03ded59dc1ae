/** A benchmark's name, its number of CPUs and its package less loud. */
export function BenchName({ name, pkg }: { name: string; pkg?: string | undefined }) {
  const [, bare = name, procs = ''] = /^(.*?)(-\d+)?$/.exec(name) ?? [];
  return (
    <span class="bench-name" title={pkg ? `${pkg}.${name}` : name}>
      {pkg && <i>{pkg.slice(pkg.lastIndexOf('/') + 1)}.</i>}
      {bare}
      <i>{procs}</i>
    </span>
  );
}
