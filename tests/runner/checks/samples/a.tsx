type Props<T> = { items: T[]; render: (item: T) => React.ReactNode };
export function List<T,>({ items, render }: Props<T>): JSX.Element {
  const [state, set] = useState<T | null>(null);
  return <ul onClick={() => set(items[0] as T)}>{items.map((i) => <li>{render(i)}</li>)}</ul>;
}
