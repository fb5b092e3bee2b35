export const App = ({ items, ...rest }) => (
  <>
    <ul className="a" {...rest}>
      {items.map((item) => <li key={item.id}>{item.name} &amp; more</li>)}
    </ul>
    {items.length > 0 && <Footer.Note on:click={() => {}} />}
  </>
);
